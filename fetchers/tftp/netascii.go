package tftp

import "io"

// A netascii translates a text: CR LF becomes LF, and CR NUL becomes CR (RFC 764). A CR before any
// other byte is unchanged.
type netascii struct {
	io.ReadCloser
	cr    bool // the last byte was a CR, which is held back
	raw   [4 << 10]byte
	ready []byte // translated bytes for the caller
	err   error
}

func (n *netascii) Read(p []byte) (int, error) {
	for len(n.ready) == 0 && n.err == nil {
		var m int
		m, n.err = n.ReadCloser.Read(n.raw[:])
		n.translate(n.raw[:m])
		if n.err == io.EOF && n.cr {
			n.cr = false
			n.ready = append(n.ready, '\r')
		}
	}
	if len(n.ready) == 0 {
		return 0, n.err
	}
	m := copy(p, n.ready)
	n.ready = n.ready[m:]
	return m, nil
}

// translate sets ready to the translation of text.
func (n *netascii) translate(text []byte) {
	n.ready = n.ready[:0]
	for _, c := range text {
		after := n.cr
		n.cr = c == '\r'
		if after && c != '\n' {
			n.ready = append(n.ready, '\r')
		}
		if !n.cr && !(after && c == 0) {
			n.ready = append(n.ready, c)
		}
	}
}
