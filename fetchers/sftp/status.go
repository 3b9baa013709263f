package sftp

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The codes of STATUS (draft-ietf-secsh-filexfer-02, section 7).
const (
	statusOK          = 0
	statusEOF         = 1
	statusMissing     = 2
	statusDenied      = 3
	statusFailure     = 4
	statusBadMessage  = 5
	statusNoLink      = 6
	statusLost        = 7
	statusUnsupported = 8
)

// words replace an empty message.
var words = map[int]string{
	statusOK: "ok", statusEOF: "end of file", statusMissing: "no such file", statusDenied: "permission denied",
	statusFailure: "failure", statusBadMessage: "bad message", statusNoLink: "no connection", statusLost: "connection lost",
	statusUnsupported: "operation unsupported",
}

// maxMessage is the maximum shown length of a message, in bytes.
const maxMessage = 1 << 10

// status parses a packet STATUS. Servers of early versions send no message.
func status(c *cursor) *fetchers.StatusError {
	e := &fetchers.StatusError{Reply: fetchers.Reply{Code: int(c.number())}}
	if len(c.rest) > 0 {
		e.Text = c.text()
	}
	if e.Text == "" {
		e.Text = words[e.Code]
	}
	e.Text = e.Text[:min(len(e.Text), maxMessage)]
	switch e.Code {
	case statusMissing:
		e.Class = fs.ErrNotExist
	case statusDenied:
		e.Class = fs.ErrPermission
	case statusNoLink, statusLost:
		e.Class = fetchers.ErrTemporary
	case statusUnsupported:
		e.Class = errors.ErrUnsupported
	}
	return e
}

// isEOF reports whether err is the STATUS for the end of a file or directory.
func isEOF(err error) bool {
	var refused *fetchers.StatusError
	return errors.As(err, &refused) && refused.Code == statusEOF
}

// unexpected returns the error for a packet that does not answer the request.
func unexpected(asked, got byte) error {
	name := names[got]
	if name == "" {
		name = fmt.Sprintf("of type %d", got)
	}
	return fmt.Errorf("%w: a packet %s in answer to %s", fetchers.ErrProtocol, name, names[asked])
}
