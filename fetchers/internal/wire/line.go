package wire

import (
	"bytes"
	"errors"
	"strings"
)

// ErrLine says that what was to be sent is not one line.
var ErrLine = errors.New("CR, LF or NUL inside a line")

// CheckLine reports ErrLine unless p is exactly one line with its CR LF. It
// stands before everything that is sent to a line protocol, so that octets from
// a URL never become a command (RFC 1738, section 6).
func CheckLine(p []byte) error {
	line, ok := bytes.CutSuffix(p, []byte("\r\n"))
	if !ok || bytes.ContainsAny(line, "\r\n\x00") {
		return ErrLine
	}
	return nil
}

// Lines cuts a stream of octets into lines, however it was cut into reads.
type Lines struct {
	partial []byte
}

// Feed adds p to the stream and calls line for each line that p completes,
// without its line end.
func (l *Lines) Feed(p []byte, line func(string)) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.partial = append(l.partial, p...)
			return
		}
		l.partial = append(l.partial, p[:i]...)
		line(strings.TrimSuffix(string(l.partial), "\r"))
		l.partial, p = l.partial[:0], p[i+1:]
	}
}
