package fetchers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// A RestartError reports that a Body of a Client ended too early and cannot be resumed: the
// response has no validator, or the server has changed the resource or does not send the rest. A
// caller that can discard the bytes read so far, such as a Saver, may fetch the same Request again
// with [Restarts].
type RestartError struct {
	Err      error     // cause of the end
	attempts *attempts // of the fetch
}

func (e *RestartError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RestartError) Unwrap() error { return e.Err }

// Restarts decides how often one file is fetched from its beginning. Its zero value is ready to
// use. Each restart counts as one retry of the Retry of the Client, together with the retries
// within the fetches.
type Restarts struct {
	used  *usage
	cause error // cause of the last restart, if the server sent something other than the rest
}

// Context returns a context for the fetches of the file. They share the retries of one Retry,
// whether they are made one after the other or, for ranges of the file, at the same time. Without
// this context each fetch has its own retries, which Restarts adds up afterwards. Context panics if
// ctx is nil, as context.WithValue does.
func (r *Restarts) Context(ctx context.Context) context.Context {
	if r.used == nil {
		r.used = new(usage)
	}
	return context.WithValue(ctx, usageKey{}, r.used)
}

// Again decides whether to fetch again after err. If so, it reports the retry to the Trace of ctx,
// waits, and returns nil. Otherwise it returns the error of all fetches: err, if it is no
// RestartError, or the last of too many, or that of ctx. If the last fetch only broke off, the
// error also contains the cause of the last restart. A nil ctx is an error.
func (r *Restarts) Again(ctx context.Context, err error) error {
	if ctx == nil {
		return errNoContext
	}
	var restart *RestartError
	if !errors.As(err, &restart) || restart.attempts == nil {
		return r.explained(err)
	}
	a := restart.attempts
	if a.unmet {
		r.cause = restart.Err
	}
	switch {
	case r.used == nil:
		r.used = a.used
	case r.used != a.used:
		r.used.add(a.used)
		unmet := a.unmet
		a = newAttempts(a.retry, r.used)
		a.unmet = unmet
	}
	wait, again := a.again(Temporary(err))
	if !again {
		return r.explained(a.err(err))
	}
	r.used.restart()
	ContextTrace(ctx).Retry(a.failed, wait, err)
	return pause(ctx, wait)
}

// explained returns err with the cause of the last restart, if err does not contain more.
func (r *Restarts) explained(err error) error {
	if err == nil || r.cause == nil || errors.Is(err, r.cause) || !mayPass(err) && !ConcernsRest(err) {
		return err
	}
	return fmt.Errorf("%w; before that: %w", err, r.cause)
}

// An unresumed is the source of a Body that is not resumed after a temporary failure.
type unresumed struct {
	io.ReadCloser
	attempts *attempts
}

func (u *unresumed) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case mayPass(err):
		return n, &RestartError{err, u.attempts}
	}
	return n, u.attempts.ended(err)
}

// Lend calls that of the source, if it is a Lender.
func (u *unresumed) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if l, ok := u.ReadCloser.(Lender); ok {
		return l.Lend(most, use)
	}
	return 0
}
