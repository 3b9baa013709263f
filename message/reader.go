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
	// maxHeader limits the header of a message, in bytes.
	maxHeader = 1 << 20

	// maxDepth limits the nesting of multiparts. Real messages nest only a few.
	maxDepth = 16

	// maxLine limits the part of a line in memory. Quoted-printable and files in plain text are
	// read by lines.
	maxLine = 64 << 10
)

// A Part is a leaf of a MIME message: a part without parts of its own. A message that is not a
// multipart is a single Part.
type Part struct {
	Header    textproto.MIMEHeader
	MediaType string // in lower case; "text/plain" if the header has none
	Name      string // of a file, as in the message; not a safe file name
	ContentID string // without "<" and ">"
	Charset   string // of a text, as in the message; see UTF8
	Attached  bool   // an attachment, not to be shown inline (RFC 2183, section 2.2)

	// Body is the content with its transfer encoding decoded. It has to be read before the next
	// call of Next.
	Body io.Reader

	plain bool // the body has no transfer encoding
}

// A Reader reads the parts of a message in order.
type Reader struct {
	source *source
	in     *bufio.Reader
	header textproto.MIMEHeader // nil until it is read
	err    error                // of reading it
	begun  bool                 // reading the body has started
	nested []*multipart.Reader  // the open multiparts, innermost last
	quoted *bufio.Reader        // buffer for all quoted-printable bodies in turn
}

// NewReader returns a Reader of the message in r.
func NewReader(r io.Reader) *Reader {
	s := &source{Reader: r}
	return &Reader{source: s, in: bufio.NewReaderSize(s, maxLine)}
}

// Header returns the header of the message, and reads only the header.
func (r *Reader) Header() (textproto.MIMEHeader, error) {
	if r.header == nil && r.err == nil {
		r.header, r.err = readHeader(r.in)
	}
	return r.header, r.err
}

// Next returns the next part. At the end of the message it returns io.EOF. If the message is cut
// off, it returns io.ErrUnexpectedEOF.
//
// After another error, also one of a Body, Next can be called again. It continues with the next
// part that it finds after the malformed one, if there is any.
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
	// The epilogue has no meaning (RFC 2046), but it may be cut off.
	if _, err := io.Copy(io.Discard, r.in); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// enter returns the part with that header, or nil if it is a multipart, whose parts then follow.
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

// readHeader reads a header and the empty line after it, or a header up to the end of the message.
func readHeader(in *bufio.Reader) (textproto.MIMEHeader, error) {
	var text []byte
	begins := true // at the start of a line
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

// An alphabet filters the characters of base64 out of a body; all others have to be ignored (RFC
// 2045, section 6.8).
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

// A source is the input of a message. It stores its error, and returns it again.
type source struct {
	io.Reader
	err error // nil if it has not failed
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

// explain converts an error of a decoder in the standard library to one of this package. If the
// source has failed, its error is the cause: a decoder cannot distinguish a cut-off text from a
// malformed one.
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

// An explained is a body that converts its errors with explain.
type explained struct {
	source *source
	body   io.Reader
}

func (e explained) Read(p []byte) (int, error) {
	n, err := e.body.Read(p)
	return n, e.source.explain(err)
}
