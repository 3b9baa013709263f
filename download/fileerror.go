package download

import (
	"context"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A FileError is a failure to write a file, and is of class fetchers.ErrWrite unless its
// cause is of class fetchers.ErrBusy. Err is not nil.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Is reports whether target is fetchers.ErrWrite.
func (e *FileError) Is(target error) bool { return target == fetchers.ErrWrite }

// fileError returns err as a FileError, if it is an error.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	return &FileError{err}
}

// unwritten returns err as a FileError, or as that of ctx if this was all that was wrong.
func unwritten(ctx context.Context, req *fetchers.Request, err error) error {
	if err != nil && err == ctx.Err() {
		return fetchers.NewError("fetch", req.URL, err)
	}
	return fileError(err)
}
