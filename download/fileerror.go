package download

import (
	"context"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A FileError is a failure to write a file. Its class is fetchers.ErrWrite, or fetchers.ErrBusy if
// the class of its cause is. Err is not nil.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Is reports whether target is fetchers.ErrWrite.
func (e *FileError) Is(target error) bool { return target == fetchers.ErrWrite }

// fileError returns err as a FileError, or nil if err is nil.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	return &FileError{err}
}

// unwritten returns err as a FileError, or as an error of the fetch if err is the error of ctx.
func unwritten(ctx context.Context, req *fetchers.Request, err error) error {
	if err != nil && err == ctx.Err() {
		return fetchers.NewError("fetch", req.URL, err)
	}
	return fileError(err)
}
