package ftp

import (
	"strings"
	"sync"
	"time"
)

// A habit is a property of a server that requires other commands or another order.
type habit struct {
	plain     bool // accepts one command at a time
	dataFirst bool // requires the data connection before the command of the transfer
	noFEAT    bool // closes the connection after FEAT, or does not answer it
	oneClient bool // serves one client at a time
	noEPSV    bool // the port of EPSV is not reached, but that of PASV is

	until time.Time // expiry
}

// remembered is how long habits are remembered. A connection that ends for another reason can look
// like a habit, and servers are replaced.
const remembered = time.Hour

// maxHabits is the largest number of servers that are remembered; a crawler meets many.
const maxHabits = 1000

// habits are the habits of servers, by address.
type habits struct {
	mu  sync.Mutex
	all map[string]habit
}

// learn adds the habits in h to those of the server at addr.
func (a *habits) learn(addr string, h habit) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil || len(a.all) >= maxHabits {
		a.all = make(map[string]habit)
	}
	if known := a.all[addr]; time.Now().Before(known.until) {
		h.plain, h.dataFirst = h.plain || known.plain, h.dataFirst || known.dataFirst
		h.noFEAT, h.noEPSV, h.oneClient = h.noFEAT || known.noFEAT, h.noEPSV || known.noEPSV, h.oneClient || known.oneClient
	}
	h.until = time.Now().Add(remembered)
	a.all[addr] = h
}

// of returns the habits of the server at addr.
func (a *habits) of(addr string) habit {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.all[addr]; time.Now().Before(h.until) {
		return h
	}
	return habit{}
}

// learns stores the habits that the end of s shows. It reports whether the fetch may succeed if it
// is repeated.
func (s *session) learns() bool {
	switch {
	case s.ctx.Err() != nil: // the caller has ended the fetch
		return false
	case s.tooEarly():
		s.f.habits.learn(s.key.addr, habit{dataFirst: true})
		s.ctl.trace.Note("the server requires the data connection first, so it is made before the command")
		return true
	case s.unreached:
		s.f.habits.learn(s.key.addr, habit{dataFirst: true})
		s.ctl.trace.Note("the port of EPSV is not reached, so the data connection is made before the command")
		return true
	case s.ctl.stumbled:
		s.f.habits.learn(s.key.addr, habit{plain: true})
		s.ctl.trace.Note("the server does not accept several commands at once, so they are sent one by one")
		return true
	case s.ctl.broken != nil && s.ctl.awaited == "FEAT" && !s.avoidsFEAT():
		s.f.habits.learn(s.key.addr, habit{noFEAT: true})
		s.ctl.trace.Note("the server does not answer FEAT, so FEAT is not sent")
		return true
	case s.ctl.broken != nil && !s.ctl.leaving && s.ctl.aloft():
		s.f.habits.learn(s.key.addr, habit{plain: true})
	}
	return false
}

// tooEarly reports whether the server has answered 425, no data connection, to a command that was
// sent while the data connection was dialled. Some servers check for it only once.
func (s *session) tooEarly() bool {
	return s.hasty && s.ctl.last.Code == 425 && strings.HasPrefix(s.opening, s.ctl.verb)
}

// avoidsFEAT reports whether FEAT is not sent.
func (s *session) avoidsFEAT() bool { return s.f.habits.of(s.key.addr).noFEAT }
