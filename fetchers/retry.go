package fetchers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Retry is a patience. The zero Retry has none.
type Retry struct {
	Max      int           // further tries after the first
	Min, Cap time.Duration // waits double from Min to Cap; 0 means half a second and 30 seconds
}

// Wait returns how long to wait before try number try, of which the first is 1,
// and whether there should be one. err is why the last one failed: what is not
// an ErrTemporary, or was tried often enough, or asks for a longer wait than r
// allows, is not tried again. Waits are spread by chance, so that clients that
// failed together do not come back together.
func (r Retry) Wait(try int, err error) (time.Duration, bool) {
	var tried *TriedError
	if try > r.Max || !errors.Is(err, ErrTemporary) || errors.As(err, &tried) {
		return 0, false
	}
	least, most := r.Min, r.Cap
	if least <= 0 {
		least = 500 * time.Millisecond
	}
	if most <= 0 {
		most = 30 * time.Second
	}
	wait := least
	for n := 1; n < try && wait < most; n++ {
		wait *= 2
	}
	wait = min(wait, most)
	wait -= rand.N(wait/4 + 1)
	var refused *StatusError
	if errors.As(err, &refused) && refused.Wait > wait {
		return refused.Wait, refused.Wait <= most
	}
	return wait, true
}

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
