package term

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// An error is said in one line, in the words of the user, and without a password.
func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("fetch http://a/: refused"), "http://a/: refused"},
		{errors.Join(errors.New("one"), errors.New("two")), "one: two"},
		{fmt.Errorf("reading: %w", context.Canceled), "reading: interrupted"},
		{fmt.Errorf("reading: %w", context.DeadlineExceeded), "reading: timed out"},
		{&fs.PathError{Op: "open", Path: "ftp://joe:s3cret@h/", Err: fs.ErrNotExist}, "open ftp://joe:***@h/: file does not exist"},
	} {
		if got := OneLine(c.err); got != c.want {
			t.Errorf("OneLine(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

// An error with hints is still the error.
func TestWithHints(t *testing.T) {
	err := WithHints(fmt.Errorf("a: %w", fs.ErrNotExist), "try b")
	if err.Error() != "a: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := WithHints(nil, "try b"); err != nil {
		t.Error(err)
	}
}
