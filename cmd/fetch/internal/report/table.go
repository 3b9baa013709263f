package report

import (
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"strings"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	// tablePage is how many entries are laid out together: columns fit the entries of a
	// page, and only one page is held in memory.
	tablePage = 100

	// leastName is how many columns are for names before there is one for times, and
	// one for sizes.
	leastName = 20
)

// A table writes entries in columns to a terminal, for people. The name of a document is its
// title, if it has one. A name that is too long is shortened. The URL of an entry is beside
// or below its name, unless the name tells it.
type table struct {
	out     io.Writer
	columns func() int // of the terminal, whose user may resize it
	palette term.Palette
	base    *url.URL // of the listing
	page    []cells

	kind, size, time, name int // the widest so far
}

// cells are the texts of one entry.
type cells struct {
	kind, size, time, name, url string

	told bool // the name tells the URL
}

// showTable writes the entries of res to the terminal.
func showTable(s *term.Streams, res *fetchers.Resource) error {
	t := &table{out: s.Sink(), columns: s.Columns, palette: term.PaletteFor(s.Out), base: res.URL}
	return errors.Join(writeRows(t, res), t.flush())
}

func (t *table) row(e *fetchers.Entry) error {
	c := cells{kind: e.Kind.String(), size: "-", time: "-", name: e.Name, told: true}
	if e.Size >= 0 {
		c.size = term.Human(float64(e.Size))
	}
	if !e.ModTime.IsZero() {
		c.time = e.ModTime.UTC().Format("2006-01-02 15:04")
	}
	if e.Title != "" && e.Kind == fetchers.Document {
		c.name = e.Title
	}
	if e.URL != nil {
		c.url, c.told = term.Visible(e.URL.Redacted()), told(t.base, e.URL, c.name)
	}
	c.name = term.Visible(c.name)
	if t.page = append(t.page, c); len(t.page) < tablePage {
		return nil
	}
	return t.flush()
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
	size, time := t.size, t.time
	if width-t.kind-size-time < leastName {
		time = 0
	}
	if width-t.kind-size-time < leastName {
		size = 0
	}
	var b strings.Builder
	for _, c := range t.page {
		left := fmt.Sprintf("%-*s", t.kind, c.kind)
		if size > 0 {
			left += fmt.Sprintf("%*s  ", size-2, c.size)
		}
		if time > 0 {
			left += fmt.Sprintf("%-*s", time, c.time)
		}
		b.WriteString(t.line(c, left, width) + "\n")
	}
	t.page = t.page[:0]
	_, err := io.WriteString(t.out, b.String())
	return err
}

// measure makes the columns as wide as the entries of the page need them.
func (t *table) measure(width int) {
	for _, c := range t.page {
		t.kind = max(t.kind, len(c.kind)+2)
		if c.size != "-" {
			t.size = max(t.size, len(c.size)+2)
		}
		if c.time != "-" {
			t.time = len(c.time) + 2
		}
		if n := term.Width(c.name) + 2; !c.told && n <= width/2 {
			t.name = max(t.name, n)
		}
	}
}

// line returns the line of an entry, or its two lines, with the text left of the name.
func (t *table) line(c cells, left string, width int) string {
	name := c.name
	if c.url != "" {
		name = term.Shortened(c.name, width-len(left))
	}
	if name == "" {
		left = strings.TrimRight(left, " ")
	}
	line, wide := left+t.palette.Kind(c.kind, name), term.Width(name)
	switch gap := max(t.name-wide, 2); {
	case c.told && name == c.name:
		return line
	case len(left)+wide+gap+len(c.url) <= width:
		return line + strings.Repeat(" ", gap) + t.palette.Faint(c.url)
	case len(left)+len(c.url) <= width:
		return line + "\n" + strings.Repeat(" ", len(left)) + t.palette.Faint(c.url)
	}
	return line + "\n  " + t.palette.Faint(c.url)
}
