package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errPlain, "plain"},
		{about("ftp", context.Canceled), "fetch ftp://h.example/x: interrupted"},
		{about("ftp", context.DeadlineExceeded), "fetch ftp://h.example/x: timed out"},
		{errors.New("the page says: context canceled"), "the page says: context canceled"},
		{InputError{&fs.PathError{Op: "open", Path: "http://u:s3cret@h", Err: fs.ErrNotExist}}, "open http://u:***@h: file does not exist"},
		{&fs.PathError{Op: "open", Path: "", Err: fs.ErrNotExist}, "open : file does not exist"},
		{fmt.Errorf("line 3: %w", Explained("no scheme", fetchers.ErrUnknownScheme)), "line 3: no scheme"},
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

func TestFailureOf(t *testing.T) {
	if f := FailureOf(nil); f != nil {
		t.Errorf("no error is the failure %+v", f)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{
			about("ftp", status(550, fs.ErrNotExist)),
			`{"class":"not-found","exit":78,"code":550,"text":"fetch ftp://h.example/x: 550 no","retryable":false}`,
		}, {
			about("ftp", fetchers.Temporary(refused)),
			`{"class":"connect","exit":7,"code":null,"text":"fetch ftp://h.example/x: dial tcp: connect: connection refused","retryable":true}`,
		}, {
			about("gopher", status(0, fs.ErrPermission)),
			`{"class":"denied","exit":9,"code":null,"text":"fetch gopher://h.example/x: no","retryable":false}`,
		},
	} {
		if got, err := Marshal(FailureOf(c.err)); err != nil || string(got) != c.want {
			t.Errorf("%v: %s, %v; want %s", c.err, got, err, c.want)
		}
	}
}

func TestExplained(t *testing.T) {
	cause := &fs.PathError{Op: "open", Path: "x", Err: os.ErrNotExist}
	err := Explained("did you mean y ?", cause)
	if err.Error() != "did you mean y ?" {
		t.Errorf("the text is %q", err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("errors.Is does not find the cause")
	}
	if found, ok := errors.AsType[*fs.PathError](err); !ok || found != cause {
		t.Error("errors.As does not find the cause")
	}
	if errors.Is(err, Explained("did you mean y ?", cause)) {
		t.Error("two errors with the same text are one")
	}
}

// FuzzFailure makes errors of the causes in an order and with texts: each has a class and
// an exit status that the tables have, in whatever it is wrapped.
func FuzzFailure(f *testing.F) {
	for i := range failures {
		f.Add(byte(i), byte(i*7), byte(i), "http://h.example/", "text")
	}
	f.Fuzz(func(t *testing.T, first, second, wrap byte, name, text string) {
		a, b := failures[int(first)%len(failures)].err, failures[int(second)%len(failures)].err
		err := []error{
			a,
			errors.Join(a, b),
			&fetchers.Error{Op: "read", URL: name, Err: errors.Join(a, b)},
			fmt.Errorf("%s: %w", text, &fs.PathError{Op: "open", Path: name, Err: b}),
			Explained(text, a),
			errors.New(text),
			&fetchers.ProxyError{Proxy: name, Err: b},
			UsageError{a}, InputError{a}, OutputError{a},
		}[wrap%10]
		class, exit := Classify(err)
		if !slices.Contains(Classes(), class) {
			t.Errorf("%v is of class %q", err, class)
		}
		if !slices.ContainsFunc(ExitCodes(), func(e ExitCode) bool { return e.Code == exit }) || exit == ExitOK {
			t.Errorf("%v has the exit status %d", err, exit)
		}
		failure := FailureOf(err)
		if failure.Class != class || failure.Exit != exit {
			t.Errorf("%v is %+v, want class %s and exit status %d", err, failure, class, exit)
		}
		if _, ok := errors.AsType[UsageError](err); ok != (class == ClassUsage) {
			t.Errorf("%v is of class %q", err, class)
		}
		if errors.Is(err, context.Canceled) && strings.Contains(failure.Text, context.Canceled.Error()) {
			t.Errorf("the text is %q", failure.Text)
		}
	})
}
