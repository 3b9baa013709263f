package fetchers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Retry says how often a request is repeated after a failure that may pass
// (ErrTemporary, or as When says), and when. The zero Retry never repeats one.
//
// Max counts all retries of one file: those before the response, those for the rest of a
// Body that broke off, those after a redirection or a login, and the fetches from its
// beginning ([Restarts]). Max retries are left again after a request that brought much
// before its Body broke off: 1 MiB, or 5 % of the resource if that is less. So a resource
// of S bytes takes at most Max+1 requests, and as many again for each such amount in S. A
// Body that is begun again has that effect only where it brings more bytes than before.
// Redirections and logins have limits of their own. If the server answers a request for the
// rest, but not with the rest, that request and the fetch from the beginning are one retry.
type Retry struct {
	Max      int           // retries, which are requests after the first one
	Min, Cap time.Duration // waits double from Min to Cap; 0 means half a second and 30 seconds
	Delay    time.Duration // if it is not 0, every wait is this long instead
	For      time.Duration // no retry begins later than this after the first request, or after a failure that left Max retries again; 0 is no limit

	// When reports whether to repeat a request after a failure. If nil, it is repeated
	// after an ErrTemporary. A Body that another such failure ends can be begun again.
	// A response of a NoFail request is a failure only if it is an ErrTemporary.
	When func(error) bool
}

// repeats reports whether a failure is one to repeat the request after.
func (r Retry) repeats(err error) bool {
	if r.When != nil {
		return r.When(err)
	}
	return errors.Is(err, ErrTemporary)
}

// wait returns how long to wait before the nth retry, and false if err is of a server that
// asks for a longer wait than r allows. Waits that double are spread by chance, so that
// clients that failed together do not come back together.
func (r Retry) wait(n int, err error) (time.Duration, bool) {
	wait := r.Delay
	if wait <= 0 {
		wait = r.backoff(n)
	}
	var refused *StatusError
	if errors.As(err, &refused) && refused.Wait > wait {
		return refused.Wait, refused.Wait <= r.longest()
	}
	return wait, true
}

// backoff returns the wait before the nth retry, spread by chance.
func (r Retry) backoff(n int) time.Duration {
	wait := r.Min
	if wait <= 0 {
		wait = 500 * time.Millisecond
	}
	most := r.most()
	for ; n > 1 && wait < most; n-- {
		wait *= 2
	}
	wait = min(wait, most)
	return wait - rand.N(wait/4+1)
}

func (r Retry) most() time.Duration {
	if r.Cap <= 0 {
		return 30 * time.Second
	}
	return r.Cap
}

// longest returns the longest wait that a server may ask for.
func (r Retry) longest() time.Duration { return max(r.most(), r.For) }

// A TriedError says that a request was repeated and that Err is the last failure. It is
// not repeated again.
type TriedError struct {
	Tries int // requests that failed, of all for the same file
	Err   error

	used *usage // what was counted
}

func (e *TriedError) Error() string { return fmt.Sprintf("%v (after %d tries)", e.Err, e.Tries) }

// Unwrap returns the last failure.
func (e *TriedError) Unwrap() error { return e.Err }

type pauseKey struct{}

// WithPause returns a context whose fetches call begin when they are to wait before they
// ask a server, or ask it again, and the end that it returns when they have waited, so that
// who counts fetches need not count those that do nothing. A nil begin is not called. It
// panics if ctx is nil, as context.WithValue does.
func WithPause(ctx context.Context, begin func(context.Context) (end func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, begin)
}

// pause waits for d before a server is asked.
func pause(ctx context.Context, d time.Duration) error {
	if begin, _ := ctx.Value(pauseKey{}).(func(context.Context) func()); begin != nil {
		defer begin(ctx)()
	}
	return sleep(ctx, d)
}

// sleep waits for d, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
