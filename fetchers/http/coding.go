package http

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/http/httpguts"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// acceptEncoding is the field Accept-Encoding if Request.Compress is set.
const acceptEncoding = "gzip, br, zstd, deflate"

const (
	// maxCodings is the largest number of content codings of a body. Servers use one; misconfigured
	// proxies add a second.
	maxCodings = 4

	// maxWindow bounds the memory of a zstd decoder (RFC 9659).
	maxWindow = 8 << 20
)

// suffixes are the file names whose content is itself in a coding.
var suffixes = map[string][]string{
	"gzip":   {".gz", ".tgz", ".svgz"},
	"x-gzip": {".gz", ".tgz", ".svgz"},
	"br":     {".br"},
	"zstd":   {".zst"},
}

// mayCompress reports whether req accepts content codings. A range request does not: its range
// would be of the encoded bytes.
func mayCompress(req *fetchers.Request) bool {
	return req.Compress && req.Range == (fetchers.Range{})
}

// codingsOf returns the content codings of a response in the order in which they were applied (RFC
// 9110, section 8.4). Some servers write "none" for identity.
func codingsOf(resp *nethttp.Response) (codings []string) {
	for _, field := range resp.Header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			coding = strings.ToLower(strings.TrimSpace(coding))
			if coding != "" && coding != "identity" && coding != "none" {
				codings = append(codings, coding)
			}
		}
	}
	return codings
}

// maxCodingName is the longest name of a coding that a message shows.
const maxCodingName = 64

// namesOf describes codings in a message of bounded length.
func namesOf(codings []string) string {
	unknown := func(coding string) bool {
		return len(coding) > maxCodingName || !httpguts.ValidHeaderFieldName(coding) // not a token
	}
	switch {
	case len(codings) > maxCodings:
		return fmt.Sprintf("%d codings", len(codings))
	case slices.ContainsFunc(codings, unknown):
		return "an unknown coding"
	}
	return "the coding " + strings.Join(codings, ", ")
}

// decode returns m with its codings removed. Closing the result closes m.
func (m *message) decode(codings []string) (io.ReadCloser, error) {
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%w: %d nested codings", fetchers.ErrCoding, len(codings))
	}
	most := m.most
	switch {
	case most == 0:
		most = transport.MaxExpanded
	case most < 0:
		most = 1<<63 - 1
	}
	d := &decoded{wire: &counter{ReadCloser: m}}
	d.Reader = d.wire
	for _, coding := range slices.Backward(codings) {
		open, ok := decoders[coding]
		if !ok {
			return nil, fmt.Errorf("%w: %.64q is not known", fetchers.ErrCoding, coding)
		}
		layer := &layer{coding: coding, open: open, src: bufio.NewReader(d.Reader), wire: d.wire, most: most}
		d.layers = append(d.layers, layer)
		d.Reader = layer
	}
	return d, nil
}

// A decoded is a body with its content codings removed.
type decoded struct {
	io.Reader // the last of layers
	wire      *counter
	layers    []*layer
	mu        sync.Mutex // held while reading
}

func (d *decoded) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Reader.Read(p)
}

// Close closes the encoded body, which ends a concurrent Read, and then releases the decoders.
func (d *decoded) Close() error {
	err := d.wire.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.layers {
		l.close()
	}
	return err
}

// A counter counts the bytes of the encoded body.
type counter struct {
	io.ReadCloser
	n   int64
	err error // first read error other than io.EOF
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// A layer removes one coding.
type layer struct {
	coding string
	open   func(*bufio.Reader) (io.Reader, error)
	src    *bufio.Reader
	r      io.Reader // nil before the first Read
	wire   *counter
	n      int64 // decoded bytes
	most   int64
	err    error
}

func (l *layer) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	if l.r == nil {
		r, err := l.open(l.src)
		if err != nil {
			l.err = l.explain(err)
			return 0, l.err
		}
		l.r = r
	}
	n, err := l.r.Read(p)
	l.n += int64(n)
	if l.err = transport.CheckExpansion(l.wire.n, l.n, l.most); l.err != nil {
		return 0, l.err
	}
	if err != nil {
		l.err = l.explain(err)
	}
	return n, l.err
}

// explain gives an error of the decoder its class. At the end of the coded stream it checks that no
// data follows.
func (l *layer) explain(err error) error {
	if err == io.EOF {
		switch _, err = l.src.Peek(1); {
		case err == io.EOF:
			return io.EOF
		case err == nil:
			err = errJunk
		}
	}
	switch {
	case l.wire.err != nil:
		return l.wire.err
	case errors.Is(err, fetchers.ErrCoding):
		return err // from another layer
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w in the content coding %s", io.ErrUnexpectedEOF, l.coding)
	}
	return fmt.Errorf("%w %s: %v", fetchers.ErrCoding, l.coding, err)
}

// close releases the decoder. Only that of zstd holds more than memory.
func (l *layer) close() {
	if d, ok := l.r.(*zstd.Decoder); ok {
		d.Close()
	}
	l.r, l.err = nil, io.ErrClosedPipe
}

var (
	errJunk = errors.New("data after the end of the stream")
	errNot  = errors.New("not in this format")
)

// decoders are the constructors of decoders, by coding.
var decoders = map[string]func(*bufio.Reader) (io.Reader, error){
	"gzip":    openGzip,
	"x-gzip":  openGzip, // RFC 9110, section 8.4.1.3
	"deflate": openDeflate,
	"br":      notEmpty(func(r *bufio.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }),
	"zstd": notEmpty(func(r *bufio.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	}),
}

// notEmpty wraps a constructor: a stream without bytes is an error, since even an empty document
// has a header in such a coding.
func notEmpty(open func(*bufio.Reader) (io.Reader, error)) func(*bufio.Reader) (io.Reader, error) {
	return func(r *bufio.Reader) (io.Reader, error) {
		if _, err := r.Peek(1); err != nil {
			return nil, unexpected(err)
		}
		return open(r)
	}
}

// unexpected returns io.ErrUnexpectedEOF in place of io.EOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// openDeflate decodes the coding deflate. That is the zlib format; some servers send raw deflate
// data, without header and checksum.
func openDeflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	switch {
	case len(head) == 0:
		return nil, unexpected(err)
	case len(head) == 2 && head[0]&0x0F == 8 && head[0]>>4 <= 7 && (int(head[0])<<8|int(head[1]))%31 == 0: // RFC 1950, section 2.2
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}
