package fetchers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Retry limits how often a request is repeated after a temporary failure (ErrTemporary, or as
// When decides), and sets the waits. The zero Retry never repeats a request.
//
// Max counts all retries of one file: before the response, for the rest of a Body that broke off,
// after a redirection or a login, and restarts ([Restarts]). The count is reset if a request
// brought much of the Body before it failed: 1 MiB, or 5 % of the resource if that is less. Thus a
// resource of S bytes takes at most Max+1 requests, and as many again for each such amount in S. A
// Body that was restarted resets the count only by bytes beyond those received before. Redirections
// and logins have separate limits. If the server answers a request for the rest with something
// else, this request and the restart are one retry.
type Retry struct {
	Max      int           // retries, which are requests after the first one
	Min, Cap time.Duration // waits double from Min to Cap; 0 means half a second and 30 seconds
	Delay    time.Duration // if not 0, every wait has this duration instead
	For      time.Duration // no retry starts later than this after the first request, or after the count was reset; 0 means no limit

	// When reports whether to repeat a request after a failure. If nil, requests are repeated after
	// an ErrTemporary. A Body that ends in such a failure can be restarted. The response to a
	// NoFail request is a failure only if it is an ErrTemporary.
	When func(error) bool
}

// repeats reports whether a request is repeated after err.
func (r Retry) repeats(err error) bool {
	if r.When != nil {
		return r.When(err)
	}
	return errors.Is(err, ErrTemporary)
}

// wait returns the wait before the nth retry, and false if the server demands a longer wait than r
// allows. Doubling waits are randomized, so that clients that failed together do not return
// together.
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

// backoff returns the randomized wait before the nth retry.
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

// longest returns the longest wait that a server may demand.
func (r Retry) longest() time.Duration { return max(r.most(), r.For) }

// A TriedError reports that a request was repeated and that Err is the last failure. It is not
// repeated again.
type TriedError struct {
	Tries int // failed requests, of all fetches of the file
	Err   error

	used *usage // usage that Tries counts
}

func (e *TriedError) Error() string { return fmt.Sprintf("%v (after %d tries)", e.Err, e.Tries) }

// Unwrap returns the last failure.
func (e *TriedError) Unwrap() error { return e.Err }

type pauseKey struct{}

// WithPause returns a context whose fetches call begin before they wait to send or repeat a
// request, and call the returned end after the wait. A caller that limits concurrent fetches can
// thus exclude waiting ones. A nil begin is not called. WithPause panics if ctx is nil, as
// context.WithValue does.
func WithPause(ctx context.Context, begin func(context.Context) (end func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, begin)
}

// Pause waits for d before a request, as a wait of [WithPause]. It is for Fetchers that delay requests. The
// error is that of ctx; without a ctx it is an error.
func Pause(ctx context.Context, d time.Duration) error {
	if ctx == nil {
		return errNoContext
	}
	if d <= 0 {
		return ctx.Err()
	}
	return pause(ctx, d)
}

// pause waits for d before a request.
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
