package wire

import (
	"bytes"
	"errors"
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
