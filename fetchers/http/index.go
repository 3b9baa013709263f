package http

import (
	"io"
	"iter"
	"path"
	"strings"
	"sync/atomic"

	"golang.org/x/net/html"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxPeek is how far a title or heading is looked for. Before its own Caddy writes
// 14 KB of style and pictures.
const maxPeek = 32 << 10

// Index makes a Listing of res if it is the page that a server has written in
// place of a directory without one, and reports whether it is: Apache, nginx,
// lighttpd, Caddy and Python say so in a title or heading that has the path of the
// URL in it. Body stays the page as it is.
//
// An ordinary fetch has no use for Index, since the page is what was asked for. It
// reads as far as that heading, so Received may be ahead of the reader.
func Index(res *fetchers.Resource) bool {
	where, err := res.URL.HTTP()
	if err != nil || res.Kind != fetchers.Document || res.MediaType != "text/html" || res.Range != (fetchers.Range{}) {
		return false
	}
	dir, _, _ := strings.Cut(where.Target, "?")
	if !strings.HasSuffix(dir, "/") {
		return false
	}
	head := make([]byte, maxPeek)
	n, _ := io.ReadFull(res.Body, head) // an error comes again with the next Read
	res.Body = &peeked{ReadCloser: res.Body, head: head[:n]}
	if !isIndex(string(head[:n]), unescaped(dir)) {
		return false
	}
	base := res.URL
	res.Kind = fetchers.Listing
	res.Parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error] { return ParseIndex(base, body) }
	return true
}

// A peeked is a Body whose head has been read already.
type peeked struct {
	io.ReadCloser
	head   []byte
	closed atomic.Bool
}

func (p *peeked) Read(b []byte) (int, error) {
	if len(p.head) == 0 || p.closed.Load() {
		return p.ReadCloser.Read(b)
	}
	n := copy(b, p.head)
	p.head = p.head[n:]
	return n, nil
}

func (p *peeked) Close() error {
	p.closed.Store(true)
	return p.ReadCloser.Close()
}

// isIndex reports whether the first title or heading of a page says that it is
// the index of dir. Apache leaves out the final slash.
func isIndex(page, dir string) bool {
	title, heading := titles(page)
	for _, text := range []string{title, heading} {
		for _, opening := range []string{"Index of ", "Directory listing for "} {
			if of, ok := strings.CutPrefix(text, opening); ok && strings.TrimSuffix(of, "/") == strings.TrimSuffix(dir, "/") {
				return true
			}
		}
	}
	return heading == dir && title == path.Base(dir) // Caddy
}

// titles returns the texts of the first title and the first h1 element.
func titles(page string) (title, heading string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	var text *string
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(title), strings.TrimSpace(heading)
		case html.StartTagToken:
			switch name, _ := tokens.TagName(); {
			case string(name) == "title" && title == "":
				text = &title
			case string(name) == "h1" && heading == "":
				text = &heading
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == "title" || string(name) == "h1" {
				text = nil
			}
		case html.TextToken:
			if text != nil {
				*text += string(tokens.Text())
			}
		}
	}
}
