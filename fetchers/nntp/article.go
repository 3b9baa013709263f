package nntp

import (
	"bytes"
	"fmt"
	"io"
	"net/mail"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/message"
)

// maxHeader is the maximum size of the header of an article, which is held in memory. The longest
// regular ones, with Path, References and signatures, have some ten KiB.
const maxHeader = 1 << 20

// article fetches the article name: a message-id with its angle brackets, or a number in the
// current group.
func (s *session) article(req *fetchers.Request, name string) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: "message/rfc822", Size: -1}
	whole := req.Range == fetchers.Range{}
	if req.Describe || whole && !req.Have.IsZero() {
		head, err := s.head(name)
		if err != nil {
			return nil, err
		}
		describe(res, head)
		if whole && same(req.Have, res.Validator) {
			res.Kind = fetchers.Unchanged
		}
		if req.Describe || res.Kind == fetchers.Unchanged {
			return s.done(res), nil
		}
	}
	if err := s.choose("ARTICLE", name, 220); err != nil {
		return nil, err
	}
	res.Reply = s.last
	b := &block{s: s, lease: s.lease, text: s.text()}
	head, err := readHead(b, s.conn.HeaderLimit(maxHeader))
	if err != nil {
		return nil, err
	}
	if !b.lease.Over() { // else another fetch may use the session
		s.conn.Flow()
	}
	describe(res, head)
	res.SetBody(headed{bytes.NewReader(head), b})
	return res, nil
}

// head fetches the header of an article.
func (s *session) head(name string) ([]byte, error) {
	if err := s.choose("HEAD", name, 221); err != nil {
		return nil, err
	}
	return s.readHeader()
}

// readHeader reads the data block after the reply to HEAD.
func (s *session) readHeader() ([]byte, error) {
	most := s.conn.HeaderLimit(maxHeader)
	head, err := io.ReadAll(io.LimitReader(s.text(), int64(most)+1))
	switch {
	case err != nil:
		return nil, s.breaks(err)
	case len(head) > most:
		return nil, s.breaks(longHeader(most))
	}
	return head, nil
}

func longHeader(most int) error {
	return fmt.Errorf("%w: a header of more than %d bytes", fetchers.ErrProtocol, most)
}

// describe sets the properties of an article from its header. An article never changes, so that its
// message-id identifies its version.
func describe(res *fetchers.Resource, head []byte) {
	res.Header = message.ParseHeader(head)
	res.Validator.ETag = res.Header.Get("Message-Id")
	res.Validator.ModTime = parseDate(res.Header.Get("Date"))
}

// same reports whether have and v are of the same version.
func same(have, v fetchers.Validator) bool {
	if have.ETag != "" {
		return have.ETag == v.ETag
	}
	return !have.ModTime.IsZero() && have.ModTime.Equal(v.ModTime)
}

// parseDate parses a Date field. It returns the zero Time if it is malformed.
func parseDate(s string) time.Time {
	t, err := mail.ParseDate(strings.TrimSpace(s))
	if err != nil {
		return time.Time{}
	}
	return t
}

// readHead reads the header of an article, of at most most bytes, and possibly some bytes after it.
func readHead(r io.Reader, most int) ([]byte, error) {
	head := make([]byte, 0, 4<<10)
	seen := 0 // length of the prefix without the end of the header
	for !bytes.Contains(head[seen:], []byte("\r\n\r\n")) && !bytes.HasPrefix(head, []byte("\r\n")) {
		seen = max(0, len(head)-3)
		if len(head) > most {
			return nil, longHeader(most)
		}
		if len(head) == cap(head) {
			head = append(head, make([]byte, len(head))...)[:len(head)]
		}
		n, err := r.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return head, nil
}

// A headed is an article whose beginning was already read.
type headed struct {
	head *bytes.Reader
	rest *block
}

func (h headed) Read(p []byte) (int, error) {
	if h.head.Len() > 0 {
		return h.head.Read(p)
	}
	return h.rest.Read(p)
}

func (h headed) Close() error { return h.rest.Close() }

// A block is the source of a Body: the last data block of an exchange. At its end the session is
// released.
type block struct {
	s     *session
	lease *lease
	text  *transport.DotReader
	err   error // final error
}

func (b *block) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.text.Read(p)
	switch {
	case err == io.EOF:
		b.lease.Done()
	case err != nil:
		b.s.breaks(err)
		b.Close()
	}
	b.err = err
	return n, err
}

// Close closes the connection if the block was not read to its end: a server cannot be stopped. It
// may be called during a Read. After the end it does nothing.
func (b *block) Close() error { return b.lease.Close() }
