package http

import (
	"fmt"
	"io"
	"iter"
	neturl "net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	maxToken = 256 << 10 // a tag or a style sheet
	maxCells = 1 << 10   // bytes kept of a row; time and size come first
)

// ParseIndex reads the entries of an index page: the links to children of the directory base. The
// row of a link may contain a time, which is taken as UTC because the pages do not name a zone, and
// a size. A rounded size such as "1.2K" is not the Size; it is the attribute "http.size".
func ParseIndex(base *url.URL, body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		dir, err := base.Resolve("./")
		if err != nil {
			yield(fetchers.Entry{}, err)
			return
		}
		tokens := html.NewTokenizer(body)
		tokens.SetMaxBuf(maxToken)
		p := page{dir: dir, yield: yield}
		for more := true; more; {
			switch tokens.Next() {
			case html.ErrorToken:
				if err := tokens.Err(); p.end() && err != io.EOF {
					yield(fetchers.Entry{}, tokenError(err))
				}
				return
			case html.TextToken:
				p.row.add(string(tokens.Text()))
			case html.StartTagToken, html.SelfClosingTagToken:
				more = p.open(tag(tokens))
			case html.EndTagToken:
				name, _ := tokens.TagName()
				more = p.close(string(name))
			}
		}
	}
}

func tokenError(err error) error {
	if err == html.ErrBufferExceeded {
		return fmt.Errorf("%w: a tag of more than %d bytes", fetchers.ErrProtocol, maxToken)
	}
	return err
}

// A page is the state of parsing an index page. Its methods report whether to continue.
type page struct {
	dir   *url.URL
	row   *row // current row, or nil
	yield func(fetchers.Entry, error) bool
}

// end yields the entry of the current row.
func (p *page) end() bool {
	ended := p.row
	p.row = nil
	return ended == nil || p.yield(ended.entry(), nil)
}

func (p *page) open(name string, attributes map[string]string) bool {
	switch name {
	case "a":
		link := newRow(p.dir, attributes["href"])
		if link.same(p.row) { // the first link of the row is an icon
			p.row.inLink = true
			return true
		}
		more := p.end()
		p.row = link
		return more
	case "tr", "li", "hr", "script", "style":
		return p.end()
	}
	p.row.cell(attributes)
	return true
}

func (p *page) close(name string) bool {
	switch name {
	case "a":
		if p.row != nil {
			p.row.inLink = false
		}
	case "tr", "li", "pre", "ul", "table":
		return p.end()
	}
	return true
}

// tag returns the name of a tag and its relevant attributes.
func tag(tokens *html.Tokenizer) (name string, attributes map[string]string) {
	raw, more := tokens.TagName()
	name = string(raw)
	for more {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		switch k := string(key); k {
		case "href", "datetime", "data-order", "data-size":
			if attributes == nil {
				attributes = make(map[string]string)
			}
			attributes[k] = string(value)
		}
	}
	return name, attributes
}

// A row is a link and the text in its row. A nil row belongs to a link that is no entry.
type row struct {
	e      fetchers.Entry
	cells  string
	inLink bool
}

// newRow returns a row for href, or nil if href is no child of dir. A link that cannot be parsed
// becomes an Unparsed entry.
func newRow(dir *url.URL, href string) *row {
	href = strings.Trim(href, " \t\r\n\f")
	if href == "" {
		return nil
	}
	u, err := dir.Resolve(href)
	if err != nil {
		return &row{e: fetchers.Entry{Name: href, Kind: fetchers.Unparsed, Size: -1}, inLink: true}
	}
	if !u.SameOrigin(dir) {
		return nil
	}
	child, name, ok := childOf(dir, u)
	if !ok {
		return nil
	}
	e := fetchers.Entry{URL: child, Name: name, Kind: fetchers.Listing, Size: -1}
	if !strings.HasSuffix(child.Path, "/") {
		e.Kind, e.MediaType = fetchers.Document, fetchers.TypeByName(name)
	}
	return &row{e: e, inLink: true}
}

func (r *row) same(old *row) bool {
	return r != nil && old != nil && r.e.URL != nil && old.e.URL != nil && *r.e.URL == *old.e.URL
}

func (r *row) add(text string) {
	if r != nil && !r.inLink && len(r.cells) < maxCells {
		r.cells += text[:min(len(text), maxCells)]
	}
}

// cell reads the machine-readable attributes that Caddy adds to a row.
func (r *row) cell(attributes map[string]string) {
	if r == nil {
		return
	}
	r.add(" ")
	if t, err := time.Parse(time.RFC3339, strings.TrimSpace(attributes["datetime"])); err == nil {
		r.e.ModTime = t.UTC()
	}
	for _, key := range []string{"data-order", "data-size"} {
		if size, err := number(attributes[key]); err == nil && r.e.Kind == fetchers.Document {
			r.e.Size = size
		}
	}
}

// indexTimes are the time layouts of Apache and merecat, nginx, lighttpd, and mini_httpd.
var indexTimes = []string{"2006-01-02 15:04", "02-Jan-2006 15:04", "2006-Jan-02 15:04:05", withoutKind}

// withoutKind is the layout of pages that do not distinguish directories from files, and that show
// the size of a symbolic link for a link.
const withoutKind = "02Jan2006 15:04"

// roughly matches a rounded size.
var roughly = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[KMGTPEkmgtpe]$`)

// entry returns the entry of r. A number is a size only next to a time, because a description may
// contain numbers. lighttpd writes a slash before both, and merecat the size before the time.
func (r *row) entry() fetchers.Entry {
	cells := strings.Fields(r.cells)
	if len(cells) > 0 && cells[0] == "/" {
		cells = cells[1:]
	}
	for first := range min(2, max(0, len(cells)-1)) {
		for _, layout := range indexTimes {
			t, err := time.Parse(layout, cells[first]+" "+cells[first+1])
			if err != nil {
				continue
			}
			r.e.ModTime = t
			switch size := slices.Delete(cells, first, first+2); {
			case r.e.Kind != fetchers.Document || len(size) == 0:
			case layout == withoutKind:
				r.e.Kind = fetchers.Unknown
				r.rough(size[0])
			default:
				r.size(size[0])
			}
			return r.e
		}
	}
	return r.e
}

// size parses the cell with the size of a document.
func (r *row) size(cell string) {
	if size, err := strconv.ParseUint(cell, 10, 63); err == nil {
		r.e.Size = int64(size)
	} else if roughly.MatchString(cell) {
		r.rough(cell)
	}
}

// rough stores a rounded size, or that of a link, as the attribute http.size.
func (r *row) rough(size string) { r.e.Attributes = map[string]string{"http.size": size} }

// childOf returns the URL and name of u if u is a child of the directory dir, on any server. The
// URL has dir as its prefix, even if the server writes other escapes.
func childOf(dir, u *url.URL) (child *url.URL, name string, ok bool) {
	rest := strings.TrimSuffix(u.Path, "/")
	last := strings.LastIndexByte(rest, '/') + 1
	name = unescaped(rest[last:])
	if u.Query != "" || u.Fragment != "" || !samePath(rest[:last], dir.Path) {
		return nil, "", false
	}
	if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return nil, "", false
	}
	c := *dir
	c.Path = dir.Path + u.Path[last:]
	return &c, name, true
}

// samePath reports whether a and b have the same unescaped elements.
func samePath(a, b string) bool {
	return slices.EqualFunc(strings.Split(a, "/"), strings.Split(b, "/"),
		func(a, b string) bool { return unescaped(a) == unescaped(b) })
}

func unescaped(s string) string {
	if t, err := neturl.PathUnescape(s); err == nil {
		return t
	}
	return s
}
