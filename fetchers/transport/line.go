package transport

import (
	"bufio"

	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// ErrLine is the error of CheckLine.
var ErrLine = wire.ErrLine

// CheckLine returns ErrLine unless p, which is about to be sent, is one line that ends in CR LF:
// without a CR, LF or NUL before that. It keeps octets of a URL from becoming a second command.
func CheckLine(p []byte) error { return wire.CheckLine(p) }

// ReadLine reads a line of at most most octets, and returns it without its CR LF or LF. The
// error is io.ErrUnexpectedEOF if the connection ends before the line does, and ErrProtocol
// for a longer line.
func ReadLine(in *bufio.Reader, most int) (string, error) { return wire.ReadLine(in, most) }
