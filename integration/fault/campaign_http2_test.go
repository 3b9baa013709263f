package fault_test

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// Frame types, flags and error codes (RFC 9113, sections 6 and 7).
const (
	dataFrame, headersFrame, priorityFrame, rstFrame, settingsFrame = 0, 1, 2, 3, 4
	pushFrame, pingFrame, goawayFrame, windowFrame, continuation    = 5, 6, 7, 8, 9
	endStream, ack, endHeaders, padded                              = 1, 1, 4, 8
	noError, protocolError, internalError, refusedStream            = 0, 1, 2, 7
	cancelCode, calmDown, http11Required                            = 8, 11, 13
)

// A h2 is a request over HTTP/2, and the connection that it came by.
type h2 struct {
	net.Conn
	s      *scene
	n      int // the number of the request, from 1
	stream uint32
	from   int // where the requested range begins

	deaf  bool // the server answers no PING
	block bytes.Buffer
	enc   *hpack.Encoder
}

// http2 makes an HTTP/2 server that answers each request. It closes the connection if
// answer returns true.
func http2(answer func(r *h2) (end bool)) func(*scene) string {
	return h2From(func(r *h2) { r.frame(settingsFrame, 0, 0, nil) }, answer)
}

// h2From is http2 with begin for the first frames of the server.
func h2From(begin func(r *h2), answer func(r *h2) (end bool)) func(*scene) string {
	return func(s *scene) string {
		_, talk := talkH2(s, begin, answer)
		s.http2 = true
		s.serve("localhost:443", func(l *link) { talk(l) })
		return "https://localhost/f.bin"
	}
}

// talkH2 returns the function by which an HTTP/2 server serves a connection, and the name
// of a file with its certificate.
func talkH2(s *scene, begin func(r *h2), answer func(r *h2) (end bool)) (roots string, talk func(net.Conn)) {
	config, cert := certificate.Loopback()
	config = config.Clone()
	config.NextProtos = []string{"h2"}
	s.trust = &tls.Config{RootCAs: certificate.Pool(cert)}
	roots = filepath.Join(s.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}), 0o600); err != nil {
		s.Fatal(err)
	}
	var n atomic.Int32
	return roots, func(raw net.Conn) {
		c := tls.Server(raw, config)
		if _, err := io.ReadFull(c, make([]byte, 24)); err != nil { // the preface
			return
		}
		r := &h2{Conn: c, s: s}
		r.enc = hpack.NewEncoder(&r.block)
		r.talk(begin, func() bool {
			r.n = int(n.Add(1))
			return answer(r)
		})
	}
}

// talk reads frames, and calls answer for each request.
func (r *h2) talk(begin func(r *h2), answer func() bool) {
	begin(r)
	decoder := hpack.NewDecoder(4096, nil)
	for {
		var head [9]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(r, payload); err != nil {
			return
		}
		switch {
		case head[3] == settingsFrame && head[4]&ack == 0:
			r.frame(settingsFrame, ack, 0, nil)
		case head[3] == pingFrame && head[4]&ack == 0 && !r.deaf:
			r.frame(pingFrame, ack, 0, payload)
		case head[3] == headersFrame:
			r.stream, r.from = binary.BigEndian.Uint32(head[5:]), 0
			fields, _ := decoder.DecodeFull(payload)
			for _, f := range fields {
				if f.Name == "range" {
					fmt.Sscanf(f.Value, "bytes=%d-", &r.from)
				}
			}
			if answer() {
				return
			}
		}
	}
}

// frame sends a frame.
func (r *h2) frame(kind, flags byte, stream uint32, payload []byte) error {
	return r.sized(len(payload), kind, flags, stream, payload)
}

// sized sends a frame whose length field is size.
func (r *h2) sized(size int, kind, flags byte, stream uint32, payload []byte) error {
	head := []byte{byte(size >> 16), byte(size >> 8), byte(size), kind, flags}
	head = binary.BigEndian.AppendUint32(head, stream)
	_, err := r.Write(append(head, payload...))
	return err
}

func number(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// fields returns a header block of alternating names and values.
func (r *h2) fields(pairs ...string) []byte {
	r.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		r.enc.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return bytes.Clone(r.block.Bytes())
}

func (r *h2) headers(flags byte, pairs ...string) {
	r.frame(headersFrame, flags|endHeaders, r.stream, r.fields(pairs...))
}

// begin sends the header of the file, or of the requested range.
func (r *h2) begin() {
	if r.from > 0 {
		r.headers(0, ":status", "206", "etag", v1.etag, "content-range", fmt.Sprintf("bytes %d-262143/262144", r.from), "content-length", fmt.Sprint(len(v1.data)-r.from))
		return
	}
	r.headers(0, ":status", "200", "etag", v1.etag, "accept-ranges", "bytes", "content-length", "262144")
}

// data sends the file, from the beginning of the requested range up to an offset.
func (r *h2) data(to int, flags byte) {
	for from := r.from; from < to; from += 16384 {
		last := from+16384 >= to
		f := byte(0)
		if last {
			f = flags
		}
		if r.frame(dataFrame, f, r.stream, v1.data[from:min(from+16384, to)]) != nil {
			return
		}
	}
}

// good sends a correct response.
func (r *h2) good() { r.begin(); r.data(len(v1.data), endStream) }

// half sends the header and half of the file.
func (r *h2) half() { r.begin(); r.data(len(half), 0) }

func (r *h2) rst(code uint32) { r.frame(rstFrame, 0, r.stream, number(code)) }

func (r *h2) goaway(last, code uint32) {
	r.frame(goawayFrame, 0, 0, append(number(last), number(code)...))
}

// again sends frames, two each tenth of a second, until the client leaves. It reports a client that
// stays for ten minutes.
func (r *h2) again(send func() error) {
	for range 6000 {
		for range 2 {
			if send() != nil {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	r.s.accuse("frames without end are taken for ten minutes")
}

// always2 makes a server that answers every request in the same way, and then ends the
// connection if end is true.
func always2(end bool, answer func(r *h2)) func(*scene) string {
	return armed(http2(func(r *h2) bool { r.s.strikes.Add(1); answer(r); return end }))
}

// once2 is always2 for the first request; the others get a good response.
func once2(end bool, answer func(r *h2)) func(*scene) string {
	return armed(http2(func(r *h2) bool {
		if r.n > 1 {
			r.good()
			return false
		}
		r.s.strikes.Add(1)
		answer(r)
		return end
	}))
}

// armed marks a server that counts its faults in strikes.
func armed(serve func(*scene) string) func(*scene) string {
	return func(s *scene) string {
		s.armed = true
		return serve(s)
	}
}
