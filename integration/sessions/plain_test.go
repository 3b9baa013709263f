package sessions

import (
	"crypto/tls"
	"io"
	"path"
)

// serveGopher answers one request with a text.
func serveGopher(v *visit) {
	if name, ok := v.line(); ok {
		v.record(name, true)
		v.answer(reply{whole: text(name) + ".\r\n", end: len(".\r\n")})
	}
}

// serveGemini answers one request, which is a URL.
func serveGemini(v *visit) {
	if line, ok := v.line(); ok {
		name := path.Base(line)
		v.record(name, true)
		v.answer(reply{whole: "20 text/plain\r\n" + text(name), end: len("\r\n")})
	}
}

// serveFinger answers one request.
func serveFinger(v *visit) {
	if name, ok := v.line(); ok {
		v.record(name, true)
		v.answer(reply{whole: text(name), end: len("\r\n")})
	}
}

// answer sends the only answer of a connection. If it is not whole, the end of the
// connection, which would be the end of the answer, is left to the client. In TLS it is
// close_notify that ends a whole one.
func (v *visit) answer(r reply) {
	switch v.reply("answer", r) {
	case over:
		io.Copy(io.Discard, v)
	case gone:
	default:
		if secure, ok := v.Conn.(*tls.Conn); ok {
			secure.CloseWrite()
		}
	}
}
