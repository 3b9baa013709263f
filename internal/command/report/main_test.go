package report

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/url"
)

func TestMain(m *testing.M) { leak.Main(m) }

// A screen has the output and the messages of a test.
type screen struct {
	*term.Streams
	out, err bytes.Buffer
}

// newScreen returns streams that are no terminal.
func newScreen(o *option.Options) *screen {
	s := new(screen)
	s.Streams = term.New(strings.NewReader(""), &s.out, &s.err)
	s.Streams = s.With(term.Settings{Silent: o.Output.Silent, Verbose: o.Output.Verbose})
	return s
}

// open begins a run, which the test ends.
func open(t *testing.T, o *option.Options) (*Run, *screen) {
	t.Helper()
	s := newScreen(o)
	r, err := Open(t.Context(), o, s.Streams, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.EndFiles()
		r.EndScript(nil)
	})
	return r, s
}

func parseURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// document returns a Document with a Body.
func document(u *url.URL, body string) *fetchers.Resource {
	res := &fetchers.Resource{URL: u, Kind: fetchers.Document, Size: int64(len(body))}
	res.SetBody(io.NopCloser(strings.NewReader(body)))
	return res
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }
