package session

// escape is the key that leaves a session: ^].
const escape = 0x1D

// A lineEditor turns keys into the octets to send. To a service that echoes, each key goes as
// it is typed. To a service that does not, whole lines go; the terminal shows them, and the
// user can correct them before: that is the terminal of RFC 854.
type lineEditor struct{ line []byte }

// maxTyped bounds a line that is not sent yet, in bytes. Terminals have the same limit.
const maxTyped = 4096

// typed returns the octets to send and those to show, and whether the escape is among the
// keys.
func (e *lineEditor) typed(p []byte, echoed bool) (send, echo []byte, left bool) {
	for _, c := range p {
		switch {
		case c == escape:
			return send, echo, true
		case echoed:
			send = append(append(send, e.line...), c)
			e.line = e.line[:0]
		case c == '\r' || c == '\n':
			send = append(append(send, e.line...), "\r\n"...)
			echo = append(echo, "\r\n"...)
			e.line = e.line[:0]
		case c == 0x7F || c == '\b':
			if e.erase() {
				echo = append(echo, "\b \b"...)
			}
		case c < ' ' && c != '\t':
			send = append(append(send, e.line...), c)
			e.line = e.line[:0]
		case len(e.line) < maxTyped:
			e.line = append(e.line, c)
			echo = append(echo, c)
		default:
			echo = append(echo, '\a')
		}
	}
	return send, echo, false
}

// erase removes the last character of the line, all octets of it in UTF-8, and reports
// whether there was one.
func (e *lineEditor) erase() bool {
	n := len(e.line)
	if n == 0 {
		return false
	}
	for n--; n > 0 && e.line[n]&0xC0 == 0x80; n-- {
	}
	e.line = e.line[:n]
	return true
}
