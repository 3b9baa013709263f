package ftp

import (
	"strings"
	"sync"
	"time"
)

// A habit says how a server has to be spoken to.
type habit struct {
	plain     bool // one command at a time
	dataFirst bool // the command for a transfer only after the data connection is there
	noFEAT    bool // FEAT ends the connection, or gets no answer
	oneClient bool // it serves one client after the other
	noEPSV    bool // the port that EPSV tells is not reached, and that of PASV is

	until time.Time // when it is forgotten
}

// remembered is how long the habits of a server are remembered. A connection that ends for
// another reason can look like a habit, and servers are replaced.
const remembered = time.Hour

// maxHabits bounds the servers that are remembered; a crawler meets many.
const maxHabits = 1000

// habits are those of servers, by address.
type habits struct {
	mu  sync.Mutex
	all map[string]habit
}

// learn remembers the habits in h, besides those known, of the server at addr.
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

// learns remembers the habits that the end of s shows. It reports whether the fetch may go
// well if it begins again.
func (s *session) learns() bool {
	switch {
	case s.ctx.Err() != nil: // the caller has ended the fetch, and not the server
		return false
	case s.tooEarly():
		s.f.habits.learn(s.key.addr, habit{dataFirst: true})
		s.ctl.trace.Note("the server wants the data connection first, so it is made before the command")
		return true
	case s.unreached:
		s.f.habits.learn(s.key.addr, habit{dataFirst: true})
		s.ctl.trace.Note("the port that EPSV tells is not reached, so the data connection is made before the command")
		return true
	case s.ctl.stumbled:
		s.f.habits.learn(s.key.addr, habit{plain: true})
		s.ctl.trace.Note("the server does not take several commands at once, so they are sent one by one")
		return true
	case s.ctl.broken != nil && s.ctl.awaited == "FEAT" && !s.avoidsFEAT():
		s.f.habits.learn(s.key.addr, habit{noFEAT: true})
		s.ctl.trace.Note("the server does not answer FEAT, so it is not asked")
		return true
	case s.ctl.broken != nil && !s.ctl.leaving && s.ctl.aloft():
		s.f.habits.learn(s.key.addr, habit{plain: true})
	}
	return false
}

// tooEarly reports whether the server has answered 425, no data connection, to a command
// that was sent while the data connection was dialled. Some servers look for it once.
func (s *session) tooEarly() bool {
	return s.hasty && s.ctl.last.Code == 425 && strings.HasPrefix(s.opening, s.ctl.verb)
}

// avoidsFEAT reports whether the server is not asked for its features.
func (s *session) avoidsFEAT() bool { return s.f.habits.of(s.key.addr).noFEAT }
