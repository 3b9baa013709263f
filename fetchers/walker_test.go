package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A shelf is a Fetcher with the answer for each URL: "-> URL" is a redirection, "! words" an error,
// and lines that begin with "+" are the entries of a listing: "+kind name URL", or "+!" for an
// error within it. Any other text is a document.
type shelf map[string]string

func (s shelf) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	text, ok := s[req.URL.String()]
	if !ok {
		return nil, fetchers.NewError("fetch", req.URL, fs.ErrNotExist)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: int64(len(text))}
	switch {
	case strings.HasPrefix(text, "-> "):
		res.Kind = fetchers.Redirect
		res.Location, _ = url.Parse(text[3:])
	case strings.HasPrefix(text, "! "):
		return nil, fetchers.NewError("fetch", req.URL, errors.New(text[2:]))
	case strings.HasPrefix(text, "+"):
		res.Kind, res.Size, res.Parse = fetchers.Listing, -1, parseShelf
	}
	res.SetBody(io.NopCloser(strings.NewReader(text)))
	if req.Describe {
		res.SetBody(nil)
	}
	return res, nil
}

func parseShelf(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		text, _ := io.ReadAll(body)
		for line := range strings.Lines(string(text)) {
			words := strings.SplitN(strings.TrimSpace(line), " ", 3)
			if words[0] == "+!" {
				yield(fetchers.Entry{}, io.ErrUnexpectedEOF)
				return
			}
			if len(words) < 3 {
				continue
			}
			e := fetchers.Entry{Name: words[1], Size: -1}
			switch words[0] {
			case "+dir":
				e.Kind = fetchers.Listing
			case "+file":
				e.Kind = fetchers.Document
			case "+link":
				e.Kind, e.Attributes = fetchers.Listing, map[string]string{"unix.link": "."}
			}
			e.URL, _ = url.Parse(words[2])
			if !yield(e, nil) {
				return
			}
		}
	}
}

// walked returns a line for each step of a walk: the URL and the error.
func walked(steps iter.Seq2[fetchers.Entry, error]) (lines []string) {
	for e, err := range steps {
		line := e.URL.String()
		if err != nil {
			line += ": " + err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name, root string
		shelf      shelf
		want       []string
	}{
		{"the entries of a directory follow it", "ftp://h/pub", shelf{
			"ftp://h/pub/":     "+file a ftp://h/pub/a\n+dir d ftp://h/pub/d/\n+file z ftp://h/pub/z",
			"ftp://h/pub/d/":   "+dir e ftp://h/pub/d/e/",
			"ftp://h/pub/d/e/": "+file f ftp://h/pub/d/e/f",
		}, []string{"ftp://h/pub/a", "ftp://h/pub/d/", "ftp://h/pub/d/e/", "ftp://h/pub/d/e/f", "ftp://h/pub/z"}},

		{"links out of the directory are not followed", "ftp://h/pub/", shelf{
			"ftp://h/pub/": "+dir .. ftp://h/\n+dir . ftp://h/pub/\n+dir etc ftp://h/pub/%2Fetc/\n+dir up ftp://h/pub/%2E%2E/\n+dir other ftp://other/pub/other/\n+dir web http://h/pub/web/",
		}, []string{"ftp://h/", "ftp://h/pub/", "ftp://h/pub/%2Fetc/", "ftp://h/pub/%2E%2E/", "ftp://other/pub/other/", "http://h/pub/web/"}},

		{"a redirection stays in the directory", "http://h/", shelf{
			"http://h/":     "+dir a http://h/a/\n+dir b http://h/b/",
			"http://h/a/":   "-> http://h/a/x/",
			"http://h/a/x/": "+file y http://h/a/x/y",
			"http://h/b/":   "-> http://other/b/",
		}, []string{"http://h/a/", "http://h/a/x/y", "http://h/b/", "http://h/b/: fetch http://h/b/: redirection not followed: to http://other/b/, outside the directory"}},

		{"a menu within itself is entered once", "gopher://h/1/a", shelf{
			"gopher://h/1/a": "+dir b gopher://h/1/b\n+dir a gopher://h/1/a",
			"gopher://h/1/b": "+dir a gopher://h/1/a\n+dir far gopher://other/1/a",
		}, []string{"gopher://h/1/b", "gopher://h/1/a", "gopher://other/1/a", "gopher://h/1/a"}},

		{"a redirection back is not followed for ever", "gopher://h/1/a", shelf{
			"gopher://h/1/a": "+dir b gopher://h/1/b",
			"gopher://h/1/b": "-> gopher://h/1/a",
		}, []string{"gopher://h/1/b"}},

		{"redirections in a circle end", "http://h/", shelf{
			"http://h/":    "+dir a http://h/a/",
			"http://h/a/":  "-> http://h/a/b",
			"http://h/a/b": "-> http://h/a/",
		}, []string{"http://h/a/", "http://h/a/: fetch http://h/a/: redirection not followed: more than 5 of them"}},

		{"symbolic links are not followed", "ftp://h/", shelf{
			"ftp://h/": "+link l ftp://h/l/",
		}, []string{"ftp://h/l/"}},

		{"an unknown kind is asked for", "ftp://h/", shelf{
			"ftp://h/":   "+unknown d ftp://h/d\n+unknown f ftp://h/f\n+unknown x ftp://h/x\n+unknown far ftp://other/d",
			"ftp://h/d":  "-> ftp://h/d/",
			"ftp://h/d/": "+file a ftp://h/d/a",
			"ftp://h/f":  "text",
		}, []string{"ftp://h/d", "ftp://h/d/a", "ftp://h/f", "ftp://h/x", "ftp://other/d"}},

		{"an error does not end the walk", "ftp://h/", shelf{
			"ftp://h/":   "+dir a ftp://h/a/\n+dir b ftp://h/b/\n+dir c ftp://h/c/",
			"ftp://h/a/": "! denied",
			"ftp://h/b/": "+file x ftp://h/b/x\n+!",
			"ftp://h/c/": "a page",
		}, []string{"ftp://h/a/", "ftp://h/a/: fetch ftp://h/a/: denied", "ftp://h/b/", "ftp://h/b/x",
			"ftp://h/b/: list ftp://h/b/: unexpected EOF", "ftp://h/c/", "ftp://h/c/: list ftp://h/c/: not a listing: a document"}},

		{"a root that is missing is an error", "ftp://h/", shelf{}, []string{"ftp://h/: fetch ftp://h/: file does not exist"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := parse(t, c.root)
			if got := walked(fetchers.Walk(t.Context(), c.shelf, root)); !slices.Equal(got, c.want) {
				t.Errorf("walked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// deep is a directory that contains itself under another name.
var deep = fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	at := req.URL.String()
	return shelf{at: "+dir d " + at + "d/\n+file f " + at + "f"}.Fetch(ctx, req)
})

func TestWalkDepth(t *testing.T) {
	for _, c := range []struct{ depth, want int }{{1, 1}, {0, fetchers.DefaultDepth}} {
		w := fetchers.Walker{Fetcher: deep, Depth: c.depth}
		entered, limited := -1, 0
		for e, err := range w.Walk(t.Context(), parse(t, "ftp://h/")) {
			switch {
			case errors.Is(err, fetchers.ErrTooLarge):
				limited++
			case err != nil:
				t.Fatal(err)
			case e.Kind == fetchers.Document:
				entered++
			}
		}
		if entered != c.want || limited != 1 {
			t.Errorf("depth %d: %d levels were entered, with %d errors, want %d and 1", c.depth, entered, limited, c.want)
		}
	}
}

func TestWalkEnter(t *testing.T) {
	w := fetchers.Walker{Fetcher: deep, Enter: func(dir fetchers.Entry) bool { return len(dir.URL.Path) < len("/d/d/") }}
	want := []string{"ftp://h/d/", "ftp://h/d/d/", "ftp://h/d/f", "ftp://h/f"}
	if got := walked(w.Walk(t.Context(), parse(t, "ftp://h/"))); !slices.Equal(got, want) {
		t.Errorf("walked %q, want %q", got, want)
	}
}

// A caller can end a walk at any step, and the context ends it.
func TestWalkEnds(t *testing.T) {
	for stop := range 4 {
		n := 0
		for range fetchers.Walk(t.Context(), deep, parse(t, "ftp://h/")) {
			if n++; n > stop {
				break
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	n := 0
	for _, err := range fetchers.Walk(ctx, deep, parse(t, "ftp://h/")) {
		cancel()
		last = err
		n++
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d steps, the last with %v, want 2 and the error of the context", n, last)
	}
}

func ExampleWalk() {
	library := shelf{ // in place of a Client
		"ftp://ftp.example.org/pub/":     "+file README ftp://ftp.example.org/pub/README\n+dir src ftp://ftp.example.org/pub/src/",
		"ftp://ftp.example.org/pub/src/": "+file a.c ftp://ftp.example.org/pub/src/a.c",
	}
	root, err := url.Parse("ftp://ftp.example.org/pub/")
	if err != nil {
		return
	}
	for entry, err := range fetchers.Walk(context.Background(), library, root) {
		if err != nil {
			fmt.Println(err) // of the directory entry; the walk continues
			continue
		}
		fmt.Println(entry.Kind, entry.URL)
	}
	// Output:
	// document ftp://ftp.example.org/pub/README
	// listing ftp://ftp.example.org/pub/src/
	// document ftp://ftp.example.org/pub/src/a.c
}

// A redirection without a Location, in place of a directory or a file, is an ErrRedirect.
func TestTreeRedirectedToNowhere(t *testing.T) {
	nowhere := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Size: -1}
		res.SetBody(nil)
		return res, nil
	})
	root := parse(t, "http://h.example/pub/")
	for _, err := range fetchers.Walk(t.Context(), nowhere, root) {
		if !errors.Is(err, fetchers.ErrRedirect) {
			t.Errorf("Walk: %v", err)
		}
	}
	if _, err := fetchers.NewFS(t.Context(), nowhere, root).Open("a"); !errors.Is(err, fetchers.ErrRedirect) {
		t.Errorf("Open: %v", err)
	}
}
