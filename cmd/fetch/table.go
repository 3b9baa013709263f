package main

import (
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	// tablePage is how many entries are laid out together: columns fit what is in
	// them, and no more than that is held.
	tablePage = 100

	// leastName is how many columns are for names before there is one for times, and
	// one for sizes.
	leastName = 20
)

// A table shows entries in columns at a terminal, for people, who know a document by
// its title if it has one. A name that is too long is shortened. The URL of an entry
// is there if the name does not tell it.
type table struct {
	w    io.Writer
	base *url.URL // of the listing
	page []cells

	kind, size, time, name int // how wide these had to be so far
}

// cells are what there is to show of an entry.
type cells struct {
	kind, size, time, name, url string

	told bool // by the name, what the URL is
}

// showTable writes the entries of res to the terminal w.
func showTable(w io.Writer, res *fetchers.Resource) error {
	t := &table{w: w, base: res.URL}
	return errors.Join(writeRows(t, res), t.flush())
}

func (t *table) row(e *fetchers.Entry) error {
	c := cells{kind: e.Kind.String(), size: "-", time: "-", name: e.Name, told: true}
	if e.Size >= 0 {
		c.size = human(float64(e.Size))
	}
	if !e.ModTime.IsZero() {
		c.time = e.ModTime.UTC().Format("2006-01-02 15:04")
	}
	if e.Title != "" && e.Kind == fetchers.Document {
		c.name = e.Title
	}
	if e.URL != nil {
		c.url, c.told = visible(e.URL.Redacted()), told(t.base, e.URL, c.name)
	}
	c.name = visible(c.name)
	if t.page = append(t.page, c); len(t.page) < tablePage {
		return nil
	}
	return t.flush()
}

// told reports whether name tells what u is to who knows base: its last part, or base
// itself.
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

// flush writes what there is of a page.
func (t *table) flush() error {
	width := columns(t.w)
	for _, c := range t.page {
		t.kind = max(t.kind, len(c.kind)+2)
		if c.size != "-" {
			t.size = max(t.size, len(c.size)+2)
		}
		if c.time != "-" {
			t.time = len(c.time) + 2
		}
		if n := runewidth.StringWidth(c.name) + 2; !c.told && n <= width/2 {
			t.name = max(t.name, n)
		}
	}
	size, time := t.size, t.time
	if width-t.kind-size-time < leastName {
		time = 0
	}
	if width-t.kind-size-time < leastName {
		size = 0
	}
	var b strings.Builder
	p := paletteFor(t.w)
	for _, c := range t.page {
		left := fmt.Sprintf("%-*s", t.kind, c.kind)
		if size > 0 {
			left += fmt.Sprintf("%*s  ", size-2, c.size)
		}
		if time > 0 {
			left += fmt.Sprintf("%-*s", time, c.time)
		}
		name := c.name
		if c.url != "" {
			name = shortened(c.name, width-len(left))
		}
		if name == "" {
			left = strings.TrimRight(left, " ")
		}
		b.WriteString(left + p.kind(c.kind, name))
		wide := runewidth.StringWidth(name)
		switch gap := max(t.name-wide, 2); {
		case c.told && name == c.name:
		case len(left)+wide+gap+len(c.url) <= width:
			b.WriteString(strings.Repeat(" ", gap) + p.faint(c.url))
		case len(left)+len(c.url) <= width:
			b.WriteString("\n" + strings.Repeat(" ", len(left)) + p.faint(c.url))
		default:
			b.WriteString("\n  " + p.faint(c.url))
		}
		b.WriteString("\n")
	}
	t.page = t.page[:0]
	_, err := io.WriteString(sink{t.w}, b.String())
	return err
}
