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

// ErrLine means that the text to send is not exactly one line.
var ErrLine = errors.New("CR, LF or NUL inside a line")

// CheckLine returns ErrLine unless p is exactly one line with its CR LF. It must be called for
// everything that is sent by a line protocol, so that bytes of a URL never become a command (RFC
// 1738, section 6).
func CheckLine(p []byte) error {
	line, ok := bytes.CutSuffix(p, []byte("\r\n"))
	if !ok || bytes.ContainsAny(line, "\r\n\x00") {
		return ErrLine
	}
	return nil
}

// ReadLine reads a line of a server, which ends in CR LF or LF, and returns it without its end. A
// line of more than most bytes is an ErrProtocol. If the connection ends within the line, the error
// is an io.ErrUnexpectedEOF and an ErrTemporary.
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
