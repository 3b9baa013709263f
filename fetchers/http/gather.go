package http

import (
	"errors"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxRecord is how much a record of TLS can hold (RFC 8446, section 5.1).
const maxRecord = 16 << 10

// gathering is how long a full record may wait for the next.
const gathering = 5 * time.Millisecond

// A gatherer reads several records of TLS at once, as far as they come one after the other
// and there is room for them: a file is written with fewer and larger writes. A Tap hears of
// each record by itself.
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
	if errors.Is(err, os.ErrDeadlineExceeded) { // TLS can go on after it
		err = nil
	}
	return n, err
}
