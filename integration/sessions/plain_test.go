package sessions

import "io"

// serveGopher answers one request with a text.
func serveGopher(v *visit) {
	if name, ok := v.line(); ok {
		v.record(name, true)
		v.answer(reply{whole: text(name) + ".\r\n", end: len(".\r\n")})
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
// connection, which would be the end of the answer, is left to the client.
func (v *visit) answer(r reply) {
	if v.reply("answer", r) == over {
		io.Copy(io.Discard, v)
	}
}
