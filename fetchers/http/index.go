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

// maxPeek is how many bytes are searched for a title or heading. Caddy writes 14 KB of style and
// pictures before its heading.
const maxPeek = 32 << 10

// Index makes res a Listing if it is the index page that a server generated for a directory, and
// reports whether it is. The pages of Apache, nginx, lighttpd, Caddy, Python and others have a
// title or heading with the path of the URL; a page of package net/http in Go consists of links in
// a pre element. Body remains the page.
//
// An ordinary fetch does not need Index: it returns the page. Index reads as far as the heading, so
// that Received may be ahead of the reader. The error is a read error before the page was
// recognized.
func Index(res *fetchers.Resource) (bool, error) {
	where, err := res.URL.HTTP()
	if err != nil || res.Kind != fetchers.Document || res.MediaType != "text/html" || res.Range != (fetchers.Range{}) {
		return false, nil
	}
	dir, _, _ := strings.Cut(where.Target, "?")
	if !strings.HasSuffix(dir, "/") {
		return false, nil
	}
	head, err := io.ReadAll(io.LimitReader(res.Body, maxPeek))
	res.Body = &peeked{ReadCloser: res.Body, head: head} // a later Read returns the error again
	if !isIndex(string(head), unescaped(dir)) {
		return false, err
	}
	base := res.URL
	res.Kind = fetchers.Listing
	res.Parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error] { return ParseIndex(base, body) }
	return true, nil
}

// A peeked is a Body whose first bytes were read already.
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

// isIndex reports whether the first title or heading of a page names it the index of dir, or
// whether the page consists of links only.
func isIndex(page, dir string) bool {
	title, heading := titles(page)
	for _, text := range []string{title, heading} {
		for _, opening := range []string{"Index of ", "Directory listing for ", "listing: \n"} {
			if of, ok := strings.CutPrefix(text, opening); ok && sameDirectory(of, dir) {
				return true
			}
		}
	}
	return heading == dir && title == path.Base(dir) /* Caddy */ || onlyLinks(page)
}

// sameDirectory reports whether of, as written in a page, is dir. Apache omits the final slash;
// mini_httpd omits the first one, and writes "./" for the root. merecat writes a URL with the
// server's own host name.
func sameDirectory(of, dir string) bool {
	if scheme, rest, ok := strings.Cut(of, "://"); ok && (scheme == "http" || scheme == "https") {
		_, encoded, _ := strings.Cut(rest, "/")
		of = unescaped(encoded)
	}
	if of == "./" {
		of = "/"
	}
	return strings.TrimPrefix(strings.TrimSuffix(of, "/"), "/") == strings.TrimPrefix(strings.TrimSuffix(dir, "/"), "/")
}

// onlyLinks reports whether the bytes of page are those of a page of package net/http in Go: a pre
// element with a link in each line, whose text is its target.
func onlyLinks(page string) bool {
	page = page[:strings.LastIndexByte(page, '\n')+1] // the last line may be truncated
	tokens := html.NewTokenizer(strings.NewReader(page))
	inside, href := false, ""
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return inside
		case html.DoctypeToken:
		case html.StartTagToken:
			switch name, attributes := tag(tokens); {
			case name == "meta" && !inside:
			case name == "pre" && !inside:
				inside = true
			case name == "a" && inside && href == "" && attributes["href"] != "":
				href = attributes["href"]
			default:
				return false
			}
		case html.EndTagToken:
			switch name, _ := tokens.TagName(); string(name) {
			case "a":
				href = ""
			case "pre":
				return inside && blank(tokens)
			default:
				return false
			}
		case html.TextToken:
			text := string(tokens.Text())
			if href == "" && strings.TrimSpace(text) != "" || href != "" && text != unescaped(strings.TrimPrefix(href, "./")) {
				return false
			}
		default:
			return false
		}
	}
}

// blank reports whether only white space remains.
func blank(tokens *html.Tokenizer) bool {
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return true
		case html.TextToken:
			if strings.TrimSpace(string(tokens.Text())) != "" {
				return false
			}
		default:
			return false
		}
	}
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
