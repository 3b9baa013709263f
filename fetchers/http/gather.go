package http

import (
	"errors"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxRecord is the largest payload of a TLS record (RFC 8446, section 5.1).
const maxRecord = 16 << 10

// gathering limits how long Read waits for the next record after a full one.
const gathering = 5 * time.Millisecond

// A gatherer joins several TLS records in one Read, if they arrive in succession and the buffer has
// room. Files are then written with fewer and larger writes. With a Tap, each record is a Read of
// its own.
type gatherer struct{ *transport.Conn }

func (g gatherer) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if n < maxRecord || len(p)-n < maxRecord || g.TLS() == nil || g.Tapped() {
		return n, err
	}
	until := time.Now().Add(gathering)
	for err == nil && len(p)-n >= maxRecord {
		var more int
		more, err = g.ReadUntil(p[n:], until)
		n += more
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // TLS remains usable after it
		err = nil
	}
	return n, err
}
