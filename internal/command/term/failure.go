package term

import (
	"strings"

	"github.com/seed1ea3422f/fetch/record"
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
func OneLine(err error) string { return inLine(strings.TrimPrefix(record.Text(err), "fetch ")) }

// inLine joins the lines of a text, such as that of several errors.
func inLine(text string) string { return strings.ReplaceAll(text, "\n", ": ") }
