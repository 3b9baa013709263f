package term

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// The flags decide which messages go to standard error.
func TestMessages(t *testing.T) {
	failure := WithHints(errors.New("fetch a\x1b: no"), "try b\u202e")
	const (
		said     = "fetch: \\x1b\n"
		remark   = "* at 1\n"
		sent     = "> GET /\\r\n"
		complain = "fetch: a\\x1b: no\nfetch: try b\\u202e\n"
	)
	for _, c := range []struct {
		name     string
		settings Settings
		failure  error
		want     string
	}{
		{"no flags", Settings{}, failure, said + complain},
		{"verbose", Settings{Verbose: true}, failure, said + remark + sent + complain},
		{"silent", Settings{Silent: true}, failure, ""},
		{"silent, but the command line makes no sense", Settings{Silent: true}, record.UsageError{Err: failure}, complain},
		{"silent, with errors", Settings{Silent: true, ShowError: true}, failure, complain},
		{"silent and verbose", Settings{Silent: true, Verbose: true}, failure, remark + sent},
		{"a bar where there is no terminal", Settings{Progress: "auto"}, failure, said + complain},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, err bytes.Buffer
			s := New(strings.NewReader(""), &out, &err).With(c.settings)
			s.Say("fetch: %s", "\x1b")
			s.Remark("at %d", 1)
			s.Aloud(">", "GET /\r")
			s.Complain(c.failure)
			s.Complain(nil)
			s.Progress.Close()
			if err.String() != c.want || out.Len() > 0 {
				t.Errorf("%q, and %q to standard output; want %q", &err, &out, c.want)
			}
		})
	}
}

// Before the flags are known, failures are said.
func TestMessagesBeforeFlags(t *testing.T) {
	var err bytes.Buffer
	s := New(nil, io.Discard, &err)
	s.Remark("x")
	s.Complain(errors.New("no such flag"))
	s.Progress.Close()
	if got := err.String(); got != "fetch: no such flag\n" {
		t.Errorf("%q", got)
	}
}

// Lines of many goroutines do not mix.
func TestWriteLine(t *testing.T) {
	var out bytes.Buffer
	s := New(nil, &out, io.Discard)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := s.WriteLine([]byte("{}")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := out.String(); got != strings.Repeat("{}\n", 20) {
		t.Errorf("%q", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A failed write to standard output is told from a failure of a server.
func TestOutput(t *testing.T) {
	s := New(nil, broken{}, io.Discard).With(Settings{})
	for name, err := range map[string]error{
		"WriteLine": s.WriteLine([]byte("x")),
		"Sink":      second(io.Copy(s.Sink(), strings.NewReader("x"))),
	} {
		if _, ok := errors.AsType[record.OutputError](err); !ok || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A file is no terminal: it has no width and no colours, and no person to ask.
func TestNoTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := New(f, f, f).With(Settings{Progress: "auto"})
	defer s.Progress.Close()
	if s.OutIsTerminal() || IsTerminal(s.Err) || s.Columns() != 0 || s.CanAsk() {
		t.Error("a file is taken for a terminal")
	}
	if _, ok := s.Console(); ok {
		t.Error("a file is taken for a console")
	}
	if got := PaletteFor(s.Out).Alarm("x"); got != "x" {
		t.Errorf("it is coloured: %q", got)
	}
	if _, err := s.Ask(t.Context(), "who? ", false); err == nil {
		t.Error("a question was asked")
	}
}
