package report

import (
	"bytes"
	"errors"
	"io"
	"iter"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

var when = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// listing returns a Listing of entries that ends in err.
func listing(of *url.URL, err error, entries ...fetchers.Entry) *fetchers.Resource {
	res := document(of, "as sent\n")
	res.Kind = fetchers.Listing
	res.Parse = func(io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(fetchers.Entry{}, err)
			}
		}
	}
	return res
}

func entry(name string, u *url.URL, size int64, modified time.Time) fetchers.Entry {
	return fetchers.Entry{Name: name, URL: u, Kind: fetchers.Document, Size: size, ModTime: modified}
}

// A listing has a row for each entry, and another resource is its own. A row has no
// password and no deceptive character, and its URL can be fetched.
func TestList(t *testing.T) {
	dir := parseURL(t, "ftp://joe:s3cret@h.example/pub/")
	file := parseURL(t, "ftp://joe:s3cret@h.example/pub/a.txt")
	of := func() *fetchers.Resource {
		full := entry("a\x1b", file, 5, when)
		full.Title, full.Score, full.MediaType, full.Attributes = "a title", 7, "text/plain", map[string]string{"unix.mode": "0644"}
		return listing(dir, nil, full, fetchers.Entry{Name: "words", Kind: fetchers.Text, Size: -1})
	}
	alone := document(file, "hello")
	alone.MediaType, alone.Validator.ModTime = "text/plain", when
	for _, c := range []struct {
		name   string
		output option.Output
		res    *fetchers.Resource
		want   string
	}{
		{"rows", option.Output{}, of(), "document\t5\t2001-02-03T04:05:06Z\ta\\x1b\tftp://joe@h.example/pub/a.txt\ntext\t-\t-\twords\t-\n"},
		{"JSON", option.Output{JSON: true}, of(), `{"name":"a\u001b","url":"ftp://joe@h.example/pub/a.txt","kind":"document","media_type":"text/plain","size":5,"modified":"2001-02-03T04:05:06Z","title":"a title","author":null,"target":null,"score":7,"attributes":{"unix.mode":"0644"}}` + "\n" +
			`{"name":"words","url":null,"kind":"text","media_type":null,"size":null,"modified":null,"title":null,"author":null,"target":null,"score":null,"attributes":{}}` + "\n"},
		{"raw", option.Output{Raw: true}, of(), "as sent\n"},
		{"raw and JSON", option.Output{Raw: true, JSON: true}, of(), "as sent\n"},
		{"a document", option.Output{}, alone, "document\t5\t2001-02-03T04:05:06Z\ta.txt\tftp://joe@h.example/pub/a.txt\n"},
		{"a document as JSON", option.Output{JSON: true}, alone, `{"name":"a.txt","url":"ftp://joe@h.example/pub/a.txt","kind":"document","media_type":"text/plain","size":5,"modified":"2001-02-03T04:05:06Z","title":null,"author":null,"target":null,"score":null,"attributes":{}}` + "\n"},
		{"a raw document", option.Output{Raw: true}, document(file, "hello"), "hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(&option.Options{Output: c.output})
			if err := List(s.Streams, c.output, c.res); err != nil || s.out.String() != c.want {
				t.Errorf("%q, %v; want %q", &s.out, err, c.want)
			}
		})
	}
}

// A listing that breaks off is a failure after the rows that came, and a row that cannot be
// written is a failure of the output.
func TestListFails(t *testing.T) {
	dir := parseURL(t, "ftp://h.example/pub/")
	a := entry("a", parseURL(t, "ftp://h.example/pub/a"), -1, time.Time{})
	for name, o := range map[string]option.Output{"rows": {}, "JSON": {JSON: true}} {
		s := newScreen(&option.Options{Output: o})
		err := List(s.Streams, o, listing(dir, io.ErrUnexpectedEOF, a))
		class, _ := record.Classify(err)
		if class != record.ClassTruncated || strings.Count(s.out.String(), "\n") != 1 || !strings.Contains(err.Error(), "list ftp://h.example/pub/: ") {
			t.Errorf("%s: %v of class %q after %q", name, err, class, &s.out)
		}
		s.Out = full{}
		if err := List(s.Streams, o, listing(dir, nil, a)); !errors.Is(err, errFull) {
			t.Errorf("%s: %v, want %v", name, err, errFull)
		}
	}
	var out bytes.Buffer
	if err := writeTable(&out, 80, listing(dir, io.ErrUnexpectedEOF, a)); !errors.Is(err, io.ErrUnexpectedEOF) || out.String() != "document  a\n" {
		t.Errorf("a table: %v after %q", err, &out)
	}
	if err := writeTable(full{}, 80, listing(dir, nil, a)); !errors.Is(err, errFull) {
		t.Errorf("a table: %v, want %v", err, errFull)
	}
}

// writeTable writes the table of res for a terminal of a width without colours.
func writeTable(out io.Writer, width int, res *fetchers.Resource) error {
	t := newTable(out, func() int { return width }, res.URL)
	return errors.Join(writeRows(t, res), t.flush())
}

// The columns of a table fit the terminal, however wide the characters are.
func TestTable(t *testing.T) {
	long := strings.Repeat("long-", 10) + "2.0.tar.gz"
	dir := parseURL(t, "ftp://h.example/pub/")
	below := func(name string, size int64) fetchers.Entry {
		return entry(name, parseURL(t, dir.String()+neturl.PathEscape(name)), size, when)
	}
	deep := fetchers.Entry{Name: "deep", URL: parseURL(t, dir.String()+"deep/"), Kind: fetchers.Listing, Size: -1}
	entries := []fetchers.Entry{below("a.txt", 11), below("b\x1b[2J", 2000), deep, below("e\u0301te\u0301", 150_000), below(long, 1), below("日本語", 1)}
	for _, c := range []struct {
		width int
		want  string
	}{
		{80, "document     11 B  2001-02-03 04:05  a.txt\n" +
			"document  2.0 KiB  2001-02-03 04:05  b\\x1b[2J\n" +
			"listing         -  -                 deep\n" +
			"document  146 KiB  2001-02-03 04:05  e\u0301te\u0301\n" +
			"document      1 B  2001-02-03 04:05  long-long-long-long-l…-long-long-2.0.tar.gz\n" +
			"  ftp://h.example/pub/" + long + "\n" +
			"document      1 B  2001-02-03 04:05  日本語\n"},
		{40, "document     11 B  a.txt\n" +
			"document  2.0 KiB  b\\x1b[2J\n" +
			"listing         -  deep\n" +
			"document  146 KiB  e\u0301te\u0301\n" +
			"document      1 B  long-long-…2.0.tar.gz\n" +
			"  ftp://h.example/pub/" + long + "\n" +
			"document      1 B  日本語\n"},
		{25, "document  a.txt\n" +
			"document  b\\x1b[2J\n" +
			"listing   deep\n" +
			"document  e\u0301te\u0301\n" +
			"document  long-lo….tar.gz\n" +
			"  ftp://h.example/pub/" + long + "\n" +
			"document  日本語\n"},
	} {
		var out bytes.Buffer
		if err := writeTable(&out, c.width, listing(dir, nil, entries...)); err != nil || out.String() != c.want {
			t.Errorf("in %d columns: %q, %v; want %q", c.width, &out, err, c.want)
		}
	}
}

// If the name does not tell the URL, the URL is beside or below the name. The name of a
// document is its title.
func TestTableURLs(t *testing.T) {
	menu := parseURL(t, "gopher://h.example/1/menu")
	item := func(kind fetchers.Kind, name, u string) fetchers.Entry {
		return fetchers.Entry{Name: name, URL: parseURL(t, u), Kind: kind, Size: -1}
	}
	titled := item(fetchers.Document, "x", "http://joe:s3cret@g.example/x")
	titled.Title = "Title\u202e"
	var out bytes.Buffer
	err := writeTable(&out, 50, listing(menu, nil,
		fetchers.Entry{Name: "Welcome to a line that is longer than the terminal", Kind: fetchers.Text, Size: -1},
		fetchers.Entry{Kind: fetchers.Text, Size: -1},
		item(fetchers.Document, "One", "gopher://g.example/0/one"),
		item(fetchers.Listing, "A directory", "gopher://g.example/1/dir"),
		item(fetchers.Document, "A name that needs more room than there is", "gopher://g.example/0/three"),
		item(fetchers.Listing, "itself", "gopher://h.example/1/menu"),
		titled,
	))
	const want = "Welcome to a line that is longer than the terminal\n" +
		"\n" +
		"1  document  One          gopher://g.example/0/one\n" +
		"2  listing   A directory  gopher://g.example/1/dir\n" +
		"3  document  A name that needs …room than there is\n" +
		"             gopher://g.example/0/three\n" +
		"4  listing   itself\n" +
		"5  document  Title\\u202e\n" +
		"             http://joe:***@g.example/x\n"
	if err != nil || out.String() != want {
		t.Errorf("%s, %v; want\n%s", &out, err, want)
	}
}

// The listing of a newsgroup has a column of authors, by name where there is one. It fits the
// terminal, however wide the characters are.
func TestTableOfArticles(t *testing.T) {
	article := func(n, subject, author string) fetchers.Entry {
		e := entry("as sent", parseURL(t, "nntp://h.example/g/"+n), 2000, when)
		e.Title, e.Author = subject, author
		return e
	}
	entries := []fetchers.Entry{
		article("1", "Grüße aus dem hohen Norden", "Jörg Müller <joerg@h.example>"),
		article("2", "日本語の長い題名です、とても長い", "\"史田 太郎\" <fumita@h.example>"),
		article("3", "a\x1b[2J", "old@h.example (Old\x1b Hand)"),
		article("4", "x", ""),
		article("5", "x", "<joe@h.example>"),
	}
	for width, want := range map[int]string{
		80: "document  2.0 KiB  2001-02-03 04:05  Jörg Müller    Grüße aus dem hohen Norden\n" +
			"                                                    nntp://h.example/g/1\n" +
			"document  2.0 KiB  2001-02-03 04:05  史田 太郎      日本語の長い… す、とても長い\n" +
			"                                                    nntp://h.example/g/2\n" +
			"document  2.0 KiB  2001-02-03 04:05  Old\\x1b Hand   a\\x1b[2J\n" +
			"                                                    nntp://h.example/g/3\n" +
			"document  2.0 KiB  2001-02-03 04:05                 x\n" +
			"                                                    nntp://h.example/g/4\n" +
			"document  2.0 KiB  2001-02-03 04:05  joe@h.example  x\n" +
			"                                                    nntp://h.example/g/5\n",
		40: "document  Jör…ller  Grüße aus…hen Norden\n" +
			"                    nntp://h.example/g/1\n" +
			"document  史… 太郎  日本語の… とても長い\n" +
			"                    nntp://h.example/g/2\n" +
			"document  Old…Hand  a\\x1b[2J\n" +
			"                    nntp://h.example/g/3\n" +
			"document            x\n" +
			"                    nntp://h.example/g/4\n" +
			"document  joe…mple  x\n" +
			"                    nntp://h.example/g/5\n",
	} {
		var out bytes.Buffer
		if err := writeTable(&out, width, listing(parseURL(t, "nntp://h.example/g"), nil, entries...)); err != nil || out.String() != want {
			t.Errorf("in %d columns: %s, %v; want\n%s", width, &out, err, want)
		}
		fits(t, out.String(), width)
	}
}

// fits requires that no line of text is wider than width.
func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := term.Width(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%q has %d columns, want at most %d", line, n, width)
		}
	}
}

func TestPersonIn(t *testing.T) {
	for author, want := range map[string]string{
		"Joe <joe@h>": "Joe", `"Joe B." <joe@h>`: "Joe B.", "joe@h (Joe)": "Joe", "joe@h": "joe@h", "<joe@h>": "joe@h",
		"Joe (at home) <joe@h>": "Joe (at home)", "a<b <joe@h>": "a<b", "": "", " (x)": "(x)", "Joe <": "Joe", "joe@h (Joe": "Joe",
	} {
		if got := personIn(author); got != want {
			t.Errorf("%q: %q, want %q", author, got, want)
		}
	}
}

// A date without a time of day stays one, and a link shows its target without deceptive
// characters.
func TestTableOfLinks(t *testing.T) {
	dir := parseURL(t, "ftp://h.example/pub/")
	link := func(name, attribute, target string) fetchers.Entry {
		return fetchers.Entry{
			Name: name, URL: parseURL(t, dir.String()+name), Size: -1, ModTime: when, DateOnly: true,
			Attributes: map[string]string{attribute: target},
		}
	}
	entries := []fetchers.Entry{
		link("now", "unix.link", "a.txt"), link("old", "unix.link", ""), link("win", "dos.link", `C:\x`),
		link("bad", "unix.link", "\x1b[2J\u202e\r"), link("long", "unix.link", strings.Repeat("../", 15)+"日本語"),
		entry("a.txt", parseURL(t, dir.String()+"a.txt"), 11, when),
	}
	for width, want := range map[int]string{
		80: "unknown      -  2001-02-03        now -> a.txt\n" +
			"unknown      -  2001-02-03        old\n" +
			"unknown      -  2001-02-03        win -> C:\\x\n" +
			"unknown      -  2001-02-03        bad -> \\x1b[2J\\u202e\\r\n" +
			"unknown      -  2001-02-03        long -> ../../../../..…./../../../../../日本語\n" +
			"                                  ftp://h.example/pub/long\n" +
			"document  11 B  2001-02-03 04:05  a.txt\n",
		40: "unknown      -  now -> a.txt\n" +
			"unknown      -  old\n" +
			"unknown      -  win -> C:\\x\n" +
			"unknown      -  bad -> \\x1b[2J\\u202e\\r\n" +
			"unknown      -  long -> ../…../../日本語\n" +
			"                ftp://h.example/pub/long\n" +
			"document  11 B  a.txt\n",
	} {
		var out bytes.Buffer
		if err := writeTable(&out, width, listing(dir, nil, entries...)); err != nil || out.String() != want {
			t.Errorf("in %d columns: %s, %v; want\n%s", width, &out, err, want)
		}
		fits(t, out.String(), width)
	}
}

// A long listing is written a page at a time.
func TestTablePages(t *testing.T) {
	var out bytes.Buffer
	tb := newTable(&out, func() int { return 80 }, parseURL(t, "ftp://h.example/"))
	for n := range 2*tablePage + 1 {
		if err := tb.row(&fetchers.Entry{Name: "x", Kind: fetchers.Text, Size: -1}); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != (n+1)/tablePage*tablePage {
			t.Fatalf("after %d entries %d lines are written", n+1, lines)
		}
	}
	if err := tb.flush(); err != nil || strings.Count(out.String(), "\n") != 2*tablePage+1 {
		t.Errorf("%d lines, %v", strings.Count(out.String(), "\n"), err)
	}
}
