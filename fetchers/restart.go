package fetchers

import (
	"context"
	"errors"
	"io"
	"os"
)

// A RestartError says that a Body of a Client ended too early and cannot be resumed: the
// response has no validator, or the server has changed the resource or does not send the
// rest. A caller that can discard the bytes read so far, such as a Saver,
// may fetch the same Request again with [Restarts].
type RestartError struct {
	Err   error // why the Body ended
	retry Retry // of the fetch
}

func (e *RestartError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RestartError) Unwrap() error { return e.Err }

// Restarts counts how often one thing is fetched from its beginning. Its zero value is
// ready to use. It allows as many further fetches as the Retry of the Client that makes
// them, less the further tries that each needed before its Body. Bytes received by a restart
// do not reset the count; bytes received by a resumed Body do.
type Restarts struct {
	tries int // so far
	retry Retry
}

// Again decides whether to fetch again after err. It waits first, and tells the Trace of ctx.
// It returns nil if there should be another fetch. Otherwise it returns the error of all of
// them: err, if it is no RestartError, or the last of too many, or that of ctx.
func (r *Restarts) Again(ctx context.Context, err error) error {
	r.tries++
	var restart *RestartError
	if !errors.As(err, &restart) {
		return err
	}
	if r.tries == 1 {
		r.retry = restart.retry
		r.retry.used = nil
	}
	r.tries += restart.retry.spent()
	wait, again := r.retry.Wait(r.tries, Temporary(err))
	if !again {
		return tried(r.tries, err)
	}
	ContextTrace(ctx).Retry(r.tries, wait, err)
	return pause(ctx, wait)
}

// An unresumed is the source of a Body that does not go on by itself after a failure that
// may pass.
type unresumed struct {
	io.ReadCloser
	retry Retry
}

func (u *unresumed) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if err != nil && err != io.EOF && mayPass(err) {
		err = &RestartError{err, u.retry}
	}
	return n, err
}

// Lend is that of the source, if it is a lender.
func (u *unresumed) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if l, ok := u.ReadCloser.(lender); ok {
		return l.Lend(most, use)
	}
	return 0
}
