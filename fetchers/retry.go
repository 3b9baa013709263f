package fetchers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// A Retry is a patience. The zero Retry has none.
type Retry struct {
	Max      int           // further tries after the first
	Min, Cap time.Duration // waits double from Min to Cap; 0 means half a second and 30 seconds
	Delay    time.Duration // if it is not 0, every wait is this long instead
	For      time.Duration // no try begins later than this after the first; 0 is any time

	until time.Time     // the end of For
	used  *atomic.Int32 // the most further tries of one request so far; nil if nobody counts
}

// from returns r for a fetch that begins now.
func (r Retry) from(now time.Time) Retry {
	if r.For > 0 {
		r.until = now.Add(r.For)
	}
	r.used = nil
	if r.Max > 0 {
		r.used = new(atomic.Int32)
	}
	return r
}

// Wait returns how long to wait before try number try, of which the first is 1,
// and whether there should be one. err is why the last one failed: what is not
// an ErrTemporary, or was tried often enough, or asks for a longer wait than r
// allows, is not tried again. Waits that double are spread by chance, so that
// clients that failed together do not come back together.
func (r Retry) Wait(try int, err error) (time.Duration, bool) {
	var tried *TriedError
	if try > r.Max || !errors.Is(err, ErrTemporary) || errors.As(err, &tried) {
		return 0, false
	}
	wait := r.Delay
	if wait <= 0 {
		wait = r.backoff(try)
	}
	var refused *StatusError
	if errors.As(err, &refused) && refused.Wait > wait {
		wait = refused.Wait
		if wait > r.longest() {
			return wait, false
		}
	}
	again := r.until.IsZero() || !time.Now().Add(wait).After(r.until)
	if again && r.used != nil {
		r.used.Store(max(r.used.Load(), int32(try)))
	}
	return wait, again
}

// spent returns how many further tries the fetch has made before its Resource.
func (r Retry) spent() int {
	if r.used == nil {
		return 0
	}
	return int(r.used.Load())
}

// backoff returns the wait before try number try, spread by chance.
func (r Retry) backoff(try int) time.Duration {
	wait := r.Min
	if wait <= 0 {
		wait = 500 * time.Millisecond
	}
	most := r.most()
	for n := 1; n < try && wait < most; n++ {
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

// A TriedError says that Err was the outcome of several tries, so that nobody
// tries again on top of them.
type TriedError struct {
	Tries int
	Err   error
}

func (e *TriedError) Error() string { return fmt.Sprintf("%v (after %d tries)", e.Err, e.Tries) }

// Unwrap returns the last failure.
func (e *TriedError) Unwrap() error { return e.Err }

// tried returns err as the outcome of so many tries, of which the last may have
// been several by itself.
func tried(tries int, err error) error {
	var last *TriedError
	switch {
	case tries <= 1:
		return err
	case errors.As(err, &last):
		last.Tries += tries - 1
		return err
	}
	return &TriedError{Tries: tries, Err: err}
}

type retryKey struct{}

// WithRetry returns a context that allows Fetchers to try again. A Client sets
// it from its Retry.
func WithRetry(ctx context.Context, r Retry) context.Context {
	return context.WithValue(ctx, retryKey{}, r)
}

// ContextRetry returns the patience a Fetcher may have. One that makes use of it
// returns a TriedError when it gives up.
func ContextRetry(ctx context.Context) Retry {
	r, _ := ctx.Value(retryKey{}).(Retry)
	return r
}

type pauseKey struct{}

// WithPause returns a context whose fetches call begin when they are to wait before they
// ask a server, or ask it again, and the end that it returns when they have waited, so that
// who counts fetches need not count those that do nothing. A nil begin is not called.
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
