package message

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
)

const (
	// maxHeader bounds the header of a message, in bytes.
	maxHeader = 1 << 20

	// maxDepth bounds how deep multiparts may be in each other. Nobody needs
	// more than a few.
	maxDepth = 16

	// maxLine is what is held of a line. Quoted-printable and what surrounds
	// the files in plain text are read by lines.
	maxLine = 64 << 10
)

// A Part is a part of a message that has no parts itself. A message that is no
// multipart is one.
type Part struct {
	Header    textproto.MIMEHeader
	MediaType string // in lower case; "text/plain" if nothing is said
	Name      string // of a file, as the message has it; not a safe name
	ContentID string // without "<" and ">"
	Charset   string // of a text, as the message has it; see UTF8
	Attached  bool   // it is not to be shown with the others (RFC 2183, section 2.2)

	// Body is the content. Its transfer encoding has been undone. It is to be
	// read before Next.
	Body io.Reader

	plain bool // there was no encoding to be undone
}

// A Reader reads the parts of a message one after the other.
type Reader struct {
	source *source
	in     *bufio.Reader
	header textproto.MIMEHeader // nil until it is read
	err    error                // of reading it
	begun  bool                 // the body is being read
	nested []*multipart.Reader  // the innermost last
	quoted *bufio.Reader        // of all quoted-printable bodies, one after the other
}

// NewReader returns a Reader of the message in r.
func NewReader(r io.Reader) *Reader {
	s := &source{Reader: r}
	return &Reader{source: s, in: bufio.NewReaderSize(s, maxLine)}
}

// Header returns the header of the message, and does not read beyond it.
func (r *Reader) Header() (textproto.MIMEHeader, error) {
	if r.header == nil && r.err == nil {
		r.header, r.err = readHeader(r.in)
	}
	return r.header, r.err
}

// Next returns the next part. At the end of the message it returns io.EOF, and in a
// message that ends too early io.ErrUnexpectedEOF.
//
// After another error Next can be called again, as after one of a Body. It goes on with the
// next part that can be told from the malformed one, if there is any.
func (r *Reader) Next() (*Part, error) {
	if !r.begun {
		r.begun = true
		header, err := r.Header()
		if err != nil {
			return nil, err
		}
		if p, err := r.enter(header, r.in); p != nil || err != nil {
			return p, err
		}
	}
	for len(r.nested) > 0 {
		part, err := r.nested[len(r.nested)-1].NextRawPart()
		switch {
		case err == io.EOF:
			r.nested = r.nested[:len(r.nested)-1]
			continue
		case err != nil:
			r.nested = r.nested[:len(r.nested)-1]
			return nil, r.source.explain(err)
		}
		if p, err := r.enter(part.Header, part); p != nil || err != nil {
			return p, err
		}
	}
	// What follows the last part says nothing, but may be cut short.
	if _, err := io.Copy(io.Discard, r.in); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// enter returns the part with that header, or nil if it has parts itself, which are
// then the next.
func (r *Reader) enter(header textproto.MIMEHeader, body io.Reader) (*Part, error) {
	mediaType, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		mediaType, params = "text/plain", nil // RFC 2045, section 5.2
	}
	if strings.HasPrefix(mediaType, "multipart/") && params["boundary"] != "" {
		if len(r.nested) == maxDepth {
			return nil, fmt.Errorf("%w: parts in parts, more than %d deep", ErrMalformed, maxDepth)
		}
		r.nested = append(r.nested, multipart.NewReader(body, params["boundary"]))
		return nil, nil
	}
	p := &Part{Header: header, MediaType: mediaType, ContentID: strings.Trim(header.Get("Content-Id"), "<> "), Name: params["name"], Charset: params["charset"], Body: body}
	if disposition, params, err := mime.ParseMediaType(header.Get("Content-Disposition")); err == nil {
		p.Name, p.Attached = cmp.Or(params["filename"], p.Name), disposition == "attachment"
	}
	p.Name = DecodeWords(p.Name)
	switch strings.ToLower(strings.TrimSpace(header.Get("Content-Transfer-Encoding"))) {
	case "base64":
		p.Body = explained{r.source, base64.NewDecoder(base64.StdEncoding, alphabet{body})}
	case "quoted-printable":
		if r.quoted == nil {
			r.quoted = bufio.NewReaderSize(nil, maxLine)
		}
		r.quoted.Reset(body)
		p.Body = explained{r.source, quotedprintable.NewReader(r.quoted)}
	default:
		p.Body, p.plain = explained{r.source, body}, true
	}
	return p, nil
}

// readHeader reads a header and the empty line after it. The end of the message
// ends it too.
func readHeader(in *bufio.Reader) (textproto.MIMEHeader, error) {
	var text []byte
	begins := true // a line
	for {
		piece, err := in.ReadSlice('\n')
		text = append(text, piece...)
		switch {
		case len(text) > maxHeader:
			return nil, fmt.Errorf("%w: a header of more than %d bytes", ErrMalformed, maxHeader)
		case err == io.EOF, err == nil && begins && len(bytes.TrimRight(piece, "\r\n")) == 0:
			return ParseHeader(text), nil
		case err != nil && err != bufio.ErrBufferFull:
			return nil, err
		}
		begins = err == nil
	}
}

// An alphabet is what base64 is made of in a body, in which everything else is to be
// ignored (RFC 2045, section 6.8).
type alphabet struct{ io.Reader }

func (a alphabet) Read(p []byte) (int, error) {
	for {
		n, err := a.Reader.Read(p)
		kept := p[:0]
		for _, c := range p[:n] {
			if 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '=' {
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 || err != nil || len(p) == 0 {
			return len(kept), err
		}
	}
}

// A source is what a message is read from. It remembers why it failed, and fails again.
type source struct {
	io.Reader
	err error // nil if it did not fail
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// explain returns an error of the standard library's decoders as one of this package. If
// the source has failed, its error is the cause: a decoder cannot tell a text that was cut
// from one that is malformed.
func (s *source) explain(err error) error {
	switch {
	case err == nil, err == io.EOF, errors.Is(err, ErrMalformed):
		return err
	case s.err != nil:
		return s.err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrNoProgress):
		return err
	case errors.Is(err, io.EOF): // of package multipart
		return fmt.Errorf("%w: a multipart without its last boundary", ErrMalformed)
	}
	return fmt.Errorf("%w: %v", ErrMalformed, err)
}

// An explained is a body whose errors are of this package.
type explained struct {
	source *source
	body   io.Reader
}

func (e explained) Read(p []byte) (int, error) {
	n, err := e.body.Read(p)
	return n, e.source.explain(err)
}
