package http

import (
	"errors"
	"sync"
	"time"
)

// MaxFallbacks is how many requests to one server continue by HTTP/1.1 at a time after they
// were streams of a connection of HTTP/2. If a server gives up HTTP/2, up to MaxStreams
// requests would otherwise connect to it at once.
const MaxFallbacks = 8

// errFellBack says that a request is to continue by HTTP/1.1, and holds a slot for that.
var errFellBack = errors.New("the server has given up HTTP/2")

// http11Required is HTTP_1_1_REQUIRED (RFC 9113, section 7).
const http11Required = 0xd

// fallBack has requests to a server use HTTP/1.1 in place of the connection of n. Requests
// that use the connection go on.
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

// takeSlot waits for one of the slots of n until the context of x ends. x gives the slot back
// once its answer was read.
func (x *exchange) takeSlot(n *negotiation) error {
	select {
	case n.slots <- struct{}{}:
		x.slot = sync.OnceFunc(func() { <-n.slots })
		return errFellBack
	case <-x.context().Done():
		return x.context().Err()
	}
}

// leaveSlot gives back the slot of x, if it has one.
func (x *exchange) leaveSlot() {
	if x.slot != nil {
		x.slot()
	}
}
