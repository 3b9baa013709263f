package apdu

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// HeaderSize is the length of a Header.
const HeaderSize = 25

// A Header precedes each message (RFC 1625, section 3).
type Header struct {
	Length      int    // of the message after the Header
	Type        byte   // 'z' for an APDU, 'a' and 'n' for a positive and negative acknowledgement
	Version     byte   // '2'
	Server      string // free text of up to ten bytes
	Compression byte   // ' ' for none
	Encoding    byte   // ' ' for none
}

// Plain is the Header of a client, without its Length.
var Plain = Header{Type: 'z', Version: '2', Server: "wais", Compression: ' ', Encoding: ' '}

// parseHeader parses a Header.
func parseHeader(b []byte) (Header, error) {
	if len(b) != HeaderSize {
		return Header{}, malformed("%d bytes are no header", len(b))
	}
	n := 0
	for _, c := range b[:10] {
		if c < '0' || c > '9' {
			return Header{}, malformed("a length of %q", b[:10])
		}
		n = min(n*10+int(c-'0'), 1<<30) // larger than any message
	}
	return Header{
		Length: n, Type: b[10], Version: b[11], Server: strings.TrimRight(string(b[12:22]), " "),
		Compression: b[22], Encoding: b[23],
	}, nil
}

// Append appends the message with Header h and the given body. It ignores h.Length.
func (h Header) Append(b, body []byte) []byte {
	server := h.Server[:min(len(h.Server), 10)]
	b = fmt.Appendf(b, "%010d", len(body))
	b = append(b, h.Type, h.Version)
	b = append(append(b, server...), "          "[len(server):]...)
	b = append(b, h.Compression, h.Encoding, '0') // no implementation computes the checksum
	return append(b, body...)
}

// Read reads a message. The body is in buf if that is large enough. A body longer than limit is
// refused before memory is allocated. The error is io.EOF if the stream is at its end, and
// io.ErrUnexpectedEOF within a message.
func Read(r io.Reader, buf []byte, limit int) (Header, []byte, error) {
	var head [HeaderSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Header{}, nil, err
	}
	h, err := parseHeader(head[:])
	if err != nil {
		return Header{}, nil, err
	}
	if h.Length > limit {
		return Header{}, nil, malformed("%s bytes are announced, and %d are the most there may be", strings.TrimLeft(string(head[:10]), "0"), limit)
	}
	body := slices.Grow(buf[:0], h.Length)[:h.Length]
	if _, err := io.ReadFull(r, body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Header{}, nil, err
	}
	return h, body, nil
}
