package http

import (
	"errors"
	"net"
	"os"
	"time"
)

// maxRecord is how much a record of TLS can hold (RFC 8446, section 5.1).
const maxRecord = 16 << 10

// gathering is how long a full record may wait for the next.
const gathering = 5 * time.Millisecond

// A gatherer reads several records of TLS at once, as far as they come one after the
// other and there is room for them: a file is written with fewer and larger writes.
type gatherer struct {
	net.Conn       // TLS
	base     *conn // below it
}

func (g *gatherer) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if n < maxRecord || len(p)-n < maxRecord {
		return n, err
	}
	before := g.base.until
	g.base.until = time.Now().Add(gathering)
	for err == nil && len(p)-n >= maxRecord {
		var more int
		more, err = g.Conn.Read(p[n:])
		n += more
	}
	g.base.until = before
	if errors.Is(err, os.ErrDeadlineExceeded) { // TLS can go on after it
		err = nil
	}
	return n, err
}
