package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// A direct run calls the function of a verb without a process: it has the URLs and Options of a
// command line, and streams over buffers.
type direct struct {
	urls     []string
	options  *option.Options
	streams  *term.Streams
	out, err bytes.Buffer
}

// directly reads a command line of a verb: flags, and the URLs after them.
func directly(t *testing.T, verb string, args ...string) *direct {
	t.Helper()
	d := new(direct)
	var err error
	if d.options, d.urls, err = option.Parse(t.Context(), verb, args); err != nil {
		t.Fatal(err)
	}
	d.streams = term.New(strings.NewReader(""), &d.out, &d.err).With(settings(d.options))
	t.Cleanup(d.streams.Progress.Close)
	return d
}

// wrote checks the result of a verb, its output and its messages.
func (d *direct) wrote(t *testing.T, err error, class record.Class, out, messages string) {
	t.Helper()
	if got, _ := record.Classify(err); got != class {
		t.Errorf("%v, which is %q and not %q", err, got, class)
	}
	if d.out.String() != out || d.err.String() != messages {
		t.Errorf("output\n%smessages\n%swant\n%sand\n%s", &d.out, &d.err, out, messages)
	}
}

// directory returns the name of a directory with the file a.txt, and its file URL.
func directory(t *testing.T) (name, at string) {
	t.Helper()
	name = t.TempDir()
	if err := os.WriteFile(filepath.Join(name, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(name), "/") + "/"}).String()
}
