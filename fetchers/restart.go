package fetchers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// A RestartError says that a Body of a Client ended too early and cannot be resumed: the
// response has no validator, or the server has changed the resource or does not send the
// rest. A caller that can discard the bytes read so far, such as a Saver,
// may fetch the same Request again with [Restarts].
type RestartError struct {
	Err      error     // why the Body ended
	attempts *attempts // of the fetch
}

func (e *RestartError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RestartError) Unwrap() error { return e.Err }

// Restarts decides how often one file is fetched from its beginning. Its zero value is
// ready to use. Each of the further fetches is one of the retries that the Retry of the
// Client allows, and so are the retries within the fetches.
type Restarts struct {
	used  *usage
	cause error // of the last fetch from the beginning, if the server sent something else than the rest
}

// Context returns a context for the fetches of the file. They share the retries of one
// Retry, whether they are made one after the other or, for ranges of the file, at the same
// time. Without it each fetch has retries of its own before Restarts counts them. It panics
// if ctx is nil, as context.WithValue does.
func (r *Restarts) Context(ctx context.Context) context.Context {
	if r.used == nil {
		r.used = new(usage)
	}
	return context.WithValue(ctx, usageKey{}, r.used)
}

// Again decides whether to fetch again after err. It waits first, and tells the Trace of ctx.
// It returns nil if there should be another fetch. Otherwise it returns the error of all of
// them: err, if it is no RestartError, or the last of too many, or that of ctx. If the last
// fetch only broke off, the error also says why the file was begun again before. A nil ctx is
// an error.
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

// explained returns err with why the file was begun again, if err does not say more.
func (r *Restarts) explained(err error) error {
	if err == nil || r.cause == nil || errors.Is(err, r.cause) || !mayPass(err) && !ConcernsRest(err) {
		return err
	}
	return fmt.Errorf("%w; before that: %w", err, r.cause)
}

// An unresumed is the source of a Body that does not go on by itself after a failure that
// may pass.
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

// Lend is that of the source, if it is a Lender.
func (u *unresumed) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if l, ok := u.ReadCloser.(Lender); ok {
		return l.Lend(most, use)
	}
	return 0
}
