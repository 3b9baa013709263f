package http

import (
	"errors"
	"sync"
	"time"
)

// MaxFallbacks is how many requests to a server that has dropped HTTP/2 continue by HTTP/1.1 at a
// time. Without this limit, up to MaxStreams requests would connect to the server at once.
const MaxFallbacks = 8

// errFellBack means that the request must continue by HTTP/1.1, and holds a slot for that.
var errFellBack = errors.New("the server has given up HTTP/2")

// http11Required is HTTP_1_1_REQUIRED (RFC 9113, section 7).
const http11Required = 0xd

// fallBack makes later requests to a server use HTTP/1.1 instead of the connection of n. Requests
// that use this connection continue.
func (s *negotiations) fallBack(with server, n *negotiation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[with] != n {
		return
	}
	older := newNegotiation()
	older.since = time.Now()
	close(older.settled)
	s.all[with] = older
	go n.shared.closeIdle()
}

// takeSlot waits for a slot of n, until the context of x ends. x releases the slot after its
// response was read.
func (x *exchange) takeSlot(n *negotiation) error {
	select {
	case n.slots <- struct{}{}:
		x.slot = sync.OnceFunc(func() { <-n.slots })
		return errFellBack
	case <-x.context().Done():
		return x.context().Err()
	}
}

// leaveSlot releases the slot of x, if it has one.
func (x *exchange) leaveSlot() {
	if x.slot != nil {
		x.slot()
	}
}
