package http

import (
	"errors"
	nethttp "net/http"
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

// takeSlot waits for one of the slots of n until the context of r ends. The attempt gives it
// back when its exchange has ended.
func (a *attempt) takeSlot(r *nethttp.Request, n *negotiation) error {
	select {
	case n.slots <- struct{}{}:
		a.slot = sync.OnceFunc(func() { <-n.slots })
		return errFellBack
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// leaveSlot gives back the slot of a, if it has one.
func (a *attempt) leaveSlot() {
	if a.slot != nil {
		a.slot()
	}
}
