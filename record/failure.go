package record

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Failure tells why the fetch of a URL failed.
type Failure struct {
	Class     Class  `json:"class"`     // the sort of it, the same for all protocols
	Exit      int    `json:"exit"`      // the exit status, if it is the first failure of the run
	Code      *int   `json:"code"`      // of the server's reply; null if the failure is no reply
	Text      string `json:"text"`      // for a person
	Retryable bool   `json:"retryable"` // it may pass
}

// FailureOf returns the Failure for an error, or nil for a nil error.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	class, exit := Classify(err)
	f := &Failure{Class: class, Exit: exit, Text: Text(err), Retryable: errors.Is(err, fetchers.ErrTemporary)}
	if status, ok := errors.AsType[*fetchers.StatusError](err); ok {
		f.Code = orNull(status.Code)
	}
	return f
}

// Text returns the text of an error for a person, or "" for a nil error. The end of a
// context is "interrupted" or "timed out" in it. In the name of a file a password is
// masked, since the name may be a URL that was mistyped.
func Text(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.ReplaceAll(text, failed.Path, url.Redact(failed.Path))
	}
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = strings.ReplaceAll(text, context.DeadlineExceeded.Error(), "timed out")
	}
	return text
}

// ErrMaxDelete is the error for more files that are gone than may be deleted.
var ErrMaxDelete = errors.New("nothing was deleted")

// ErrCrash is the error for a URL that is not fetched any more, since the programs of a cluster that
// fetched it have ended several times.
var ErrCrash = errors.New("not fetched again")

// ErrPinned is the error for a server whose public key is none of those that the user has
// pinned.
var ErrPinned = errors.New("not the pinned public key")

// A UsageError is a command line, or a setting, that makes no sense. Err is not nil.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// An InputError is a local input that cannot be read, such as a list of URLs. Err is not nil.
type InputError struct{ Err error }

func (e InputError) Error() string { return e.Err.Error() }
func (e InputError) Unwrap() error { return e.Err }

// An OutputError is output that cannot be written. Err is not nil.
type OutputError struct{ Err error }

func (e OutputError) Error() string { return e.Err.Error() }
func (e OutputError) Unwrap() error { return e.Err }

// Explained returns an error with a text in place of the words of its cause, which keeps
// its class: errors.Is and errors.As find the cause, and so does Classify.
func Explained(text string, cause error) error { return &explained{text, cause} }

type explained struct {
	text  string
	cause error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.cause }
