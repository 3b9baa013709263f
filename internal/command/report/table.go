package report

import (
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	// tablePage is how many entries are laid out together: columns fit the entries of a
	// page, and only one page is held in memory.
	tablePage = 100

	// leastName is how many columns are for names before there is one for times, one for
	// sizes, and one for authors.
	leastName = 20

	// authorShare is which part of the width is for authors at most.
	authorShare = 5
)

// A table writes entries in columns to a terminal, for people. The name of a document is its
// title, if it has one, and that of a link has the target after it. A name that is too long
// is shortened. The URL of an entry is beside or below its name, unless the name tells it.
//
// A menu of gopher has a column of numbers, and its lines of text stand at the margin as they
// are: together they may be a picture.
type table struct {
	out     io.Writer
	columns func() int // of the terminal, whose user may resize it
	palette term.Palette
	base    *url.URL // of the listing
	menu    bool     // it is one of gopher
	items   int      // how many entries of the menu had a URL
	page    []cells

	number, kind, size, time, author, name int // the widest so far
}

// cells are the texts of one entry.
type cells struct {
	number, kind, size, time, author, name, url string

	told bool // the name tells the URL
	text bool // of a menu
}

// showTable writes the entries of res to the terminal.
func showTable(s *term.Streams, res *fetchers.Resource) error {
	t := newTable(s.Sink(), s.Columns, res.URL)
	t.palette = term.PaletteFor(s.Out)
	return errors.Join(writeRows(t, res), t.flush())
}

// newTable returns a table without colours of the listing base.
func newTable(out io.Writer, columns func() int, base *url.URL) *table {
	return &table{out: out, columns: columns, base: base, menu: base.Scheme == "gopher" || base.Scheme == "gophers"}
}

func (t *table) row(e *fetchers.Entry) error {
	c := cells{
		kind: e.Kind.String(), size: "-", time: timeOf(e, "2006-01-02 15:04"),
		author: term.Visible(personIn(e.Author)), name: e.Name, told: true,
		text: t.menu && e.Kind == fetchers.Text,
	}
	if e.Size >= 0 {
		c.size = term.Human(float64(e.Size))
	}
	if e.Title != "" && e.Kind == fetchers.Document {
		c.name = e.Title
	}
	if e.URL != nil {
		c.url, c.told = term.Visible(e.URL.Redacted()), told(t.base, e.URL, c.name)
	}
	if t.menu && e.URL != nil {
		t.items++
		c.number = strconv.Itoa(t.items)
	}
	if target := e.Target(); target != "" {
		c.name += " -> " + target
	}
	c.name = term.Visible(c.name)
	if t.page = append(t.page, c); len(t.page) < tablePage {
		return nil
	}
	return t.flush()
}

// personIn returns the name in an author such as "Joe <joe@h.example>" or "joe@h.example (Joe)",
// or the address if there is no name.
func personIn(author string) string {
	author = strings.TrimSpace(author)
	if at := strings.LastIndexByte(author, '<'); at > 0 {
		author = author[:at]
	} else if address, comment, ok := strings.Cut(author, " ("); ok && address != "" {
		author = strings.TrimSuffix(comment, ")")
	}
	return strings.Trim(author, "<>\" ")
}

// told reports whether name tells u to a user who knows base: it is the last part of u, or u
// is base.
func told(base, u *url.URL, name string) bool {
	text, parent := u.Redacted(), base.Redacted()
	if text == parent {
		return true
	}
	if !strings.HasSuffix(parent, "/") {
		parent += "/"
	}
	last, below := strings.CutPrefix(text, parent)
	last, err := neturl.PathUnescape(strings.TrimSuffix(last, "/"))
	return below && err == nil && last == strings.TrimSuffix(name, "/")
}

// flush writes the entries of a page.
func (t *table) flush() error {
	width := t.columns()
	t.measure(width)
	size, time, author := t.size, t.time, t.author
	for _, column := range []*int{&time, &size, &author} {
		if width-t.number-t.kind-size-time-author < leastName {
			*column = 0
		}
	}
	var b strings.Builder
	for _, c := range t.page {
		left := flushRight(c.number, t.number) + flushLeft(c.kind, t.kind) + flushRight(c.size, size) + flushLeft(c.time, time) + flushLeft(c.author, author)
		if c.text {
			left = ""
		}
		b.WriteString(t.line(c, left, width) + "\n")
	}
	t.page = t.page[:0]
	_, err := io.WriteString(t.out, b.String())
	return err
}

// flushLeft returns text for a column of that width, which has a gap of two at its end. There
// is no column if the width is 0.
func flushLeft(text string, width int) string {
	if width == 0 {
		return ""
	}
	text = term.Shortened(text, width-2)
	return text + strings.Repeat(" ", max(width-term.Width(text), 0))
}

// flushRight is flushLeft for a short number at the end of its column.
func flushRight(text string, width int) string {
	if width == 0 {
		return ""
	}
	return fmt.Sprintf("%*s  ", width-2, text)
}

// measure makes the columns as wide as the entries of the page need them.
func (t *table) measure(width int) {
	for _, c := range t.page {
		if c.text {
			continue
		}
		if c.number != "" {
			t.number = max(t.number, len(c.number)+2)
		}
		t.kind = max(t.kind, len(c.kind)+2)
		if c.size != "-" {
			t.size = max(t.size, len(c.size)+2)
		}
		if c.time != "-" {
			t.time = max(t.time, len(c.time)+2)
		}
		if c.author != "" {
			t.author = max(t.author, min(term.Width(c.author), width/authorShare)+2)
		}
		if n := term.Width(c.name) + 2; !c.told && n <= width/2 {
			t.name = max(t.name, n)
		}
	}
}

// line returns the line of an entry, or its two lines, with the text left of the name.
func (t *table) line(c cells, left string, width int) string {
	name, at := c.name, term.Width(left)
	if c.url != "" {
		name = term.Shortened(c.name, width-at)
	}
	if name == "" {
		left = strings.TrimRight(left, " ")
	}
	line, wide := left+t.palette.Kind(c.kind, name), term.Width(name)
	switch gap := max(t.name-wide, 2); {
	case c.told && name == c.name:
		return line
	case at+wide+gap+len(c.url) <= width:
		return line + strings.Repeat(" ", gap) + t.palette.Faint(c.url)
	case at+len(c.url) <= width:
		return line + "\n" + strings.Repeat(" ", at) + t.palette.Faint(c.url)
	}
	return line + "\n  " + t.palette.Faint(c.url)
}
