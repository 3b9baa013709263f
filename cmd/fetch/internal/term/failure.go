package term

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// Hinted is an error with the next steps for the user, one a line, which
// Streams.Complain writes below it.
type Hinted struct {
	Err   error
	Hints []string
}

// WithHints returns err with hints. If err is nil, WithHints returns nil.
func WithHints(err error, hints ...string) error {
	if err == nil {
		return nil
	}
	return Hinted{err, hints}
}

func (h Hinted) Error() string { return h.Err.Error() }

func (h Hinted) Unwrap() error { return h.Err }

// OneLine returns the text of an error in one line, to stand after "fetch: ".
func OneLine(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(Text(err), "fetch "), "\n", ": ")
}

// Text returns the text of an error for a user. It replaces the text for the end of a
// context, and masks a password in the name of a file, which may be a mistyped URL.
func Text(err error) string {
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
