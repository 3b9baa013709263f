package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
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

// ReadLine reads a line that a server sends, which ends in CR LF or LF alone, and
// returns it without that. One of more than most octets is an ErrProtocol. An end
// of the connection before the end of the line is an io.ErrUnexpectedEOF, and may
// pass.
func ReadLine(in *bufio.Reader, most int) (string, error) {
	var line []byte
	for {
		b, err := in.ReadByte()
		switch {
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			return "", fetchers.Temporary(fmt.Errorf("the server closed the connection: %w", io.ErrUnexpectedEOF))
		case err != nil:
			return "", err
		case b == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) > most:
			return "", fmt.Errorf("%w: a line of more than %d bytes", fetchers.ErrProtocol, most)
		}
		line = append(line, b)
	}
}
