package links

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"iter"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// ReadSitemap yields the links of a sitemap with the URL base (sitemaps.org): the pages in XML or a
// feed, the sitemaps of an index, or the lines of a text. src may be compressed with gzip; its
// links then have no position. Lines that begin with "#" are comments (RFC 2483).
func ReadSitemap(base *url.URL, src io.Reader) iter.Seq2[Link, error] {
	plain := bufio.NewReader(src)
	mark, _ := plain.Peek(2)
	if !bytes.Equal(mark, []byte{0x1F, 0x8B}) {
		return sequence(base, plain, scanSitemap)
	}
	return sequence(base, &expansion{in: counter{Reader: plain}}, func(w *walk) {
		w.nowhere = true
		scanSitemap(w)
	})
}

func scanSitemap(w *walk) {
	w.decode()
	if string(w.in.peek(3)) == "\ufeff" {
		w.in.take(3)
	}
	w.in.skipSpace()
	if c, ok := w.in.octet(); ok && c == '<' {
		newMarkup(w, true).read()
		return
	}
	for w.line() {
	}
}

// line reads a line with a URL. It returns false at the end.
func (w *walk) line() bool {
	in := w.in
	in.skipSpace()
	c, ok := in.octet()
	if !ok {
		return false
	}
	in.hold = in.pos
	start, long := in.at(), false
	in.full = func() {
		if !long {
			w.long(Link{}, start)
		}
		long = true
		in.hold = in.pos
	}
	in.seek("\r\n")
	if !long && c != '#' {
		v := value{text: string(in.slice(start, in.at())), start: start}
		_, j := v.trim(0, len(v.text))
		_, end := v.place(0, j)
		w.link(Link{Text: v.text[:j]}, start, end, nil)
	}
	in.release()
	return true
}

// An expansion decompresses bytes, and limits the size and the ratio of the result.
type expansion struct {
	in  counter
	gz  *gzip.Reader
	out int64
}

func (e *expansion) Read(p []byte) (n int, err error) {
	if e.gz == nil {
		if e.gz, err = gzip.NewReader(&e.in); err != nil {
			return 0, err
		}
	}
	n, err = e.gz.Read(p)
	e.out += int64(n)
	if limit := transport.CheckExpansion(e.in.n, e.out, transport.MaxExpanded); limit != nil {
		return 0, limit
	}
	return n, err
}

// A counter counts the bytes that are read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}
