package sftp

import (
	"context"
	"slices"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// maxSessions limits the sessions of a link. Their requests take turns on one connection, so
	// that more of them would not be faster.
	maxSessions = 64

	// window is the maximum number of outstanding READs on a link: 2 MiB, the amount that the SSH
	// library buffers from a server. The sessions of a link share it, so that on a slow network the
	// answer to STAT waits for no more than that.
	window = 64

	// maxLogins limits the concurrent logins at a server. Dropbear closes the sixth connection from
	// a host that has not logged in, and OpenSSH the eleventh.
	maxLogins = 4
)

// links holds the links of a Fetcher with at least one session. The zero value is ready to use.
type links struct {
	mu      sync.Mutex
	open    map[key][]*link
	opening map[key]*opening
	logins  map[string]int // current logins, by the address of the server
	freed   chan struct{}  // closed when a login has ended; nil if no one waits
}

// An opening is a link that several fetches wait for.
type opening struct {
	done chan struct{}
	err  error
}

// login waits until a server has less than maxLogins current logins. It counts a new login until
// done is called.
func (s *links) login(ctx context.Context, addr string) (done func(), err error) {
	s.mu.Lock()
	for s.logins[addr] >= maxLogins {
		if s.freed == nil {
			s.freed = make(chan struct{})
		}
		freed := s.freed
		s.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
	}
	if s.logins == nil {
		s.logins = make(map[string]int)
	}
	s.logins[addr]++
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.logins[addr]--; s.logins[addr] == 0 {
			delete(s.logins, addr)
		}
		if s.freed != nil {
			close(s.freed)
			s.freed = nil
		}
	}, nil
}

// enter adds a session to a link: if it shares, to an existing or opening link, and otherwise to
// one that connect opens.
func (s *links) enter(ctx context.Context, k key, shares bool, connect func() (*link, error)) (*link, error) {
	if !shares {
		l, err := connect()
		if err == nil {
			s.mu.Lock()
			s.add(k, l)
			s.mu.Unlock()
		}
		return l, err
	}
	for {
		s.mu.Lock()
		for _, l := range s.open[k] {
			if l.enter() {
				s.mu.Unlock()
				fetchers.ContextTrace(ctx).Reuse(l.peer.remote)
				return l, nil
			}
		}
		o := s.opening[k]
		if o == nil {
			break
		}
		s.mu.Unlock()
		select {
		case <-o.done:
			if o.err != nil {
				return nil, o.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	o := &opening{done: make(chan struct{})}
	if s.opening == nil {
		s.opening = make(map[key]*opening)
	}
	s.opening[k] = o
	s.mu.Unlock()
	l, err := connect()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opening, k)
	if err == nil {
		s.add(k, l)
	} else if ctx.Err() == nil { // the end of this fetch must not fail another one
		o.err = err
	}
	close(o.done)
	return l, err
}

// add adds a link with its first session. The caller holds the lock.
func (s *links) add(k key, l *link) {
	if s.open == nil {
		s.open = make(map[key][]*link)
	}
	l.sessions = 1
	s.open[k] = append(s.open[k], l)
}

// leave removes a session, and ends its link if it was the last one.
func (s *links) leave(k key, l *link) {
	s.mu.Lock()
	l.mu.Lock()
	l.sessions--
	last := l.sessions == 0
	l.mu.Unlock()
	if last {
		s.open[k] = slices.DeleteFunc(s.open[k], func(other *link) bool { return other == l })
		if len(s.open[k]) == 0 {
			delete(s.open, k)
		}
	}
	s.mu.Unlock()
	if last {
		l.fail(errClosed)
	}
}

// enter adds a session, unless the link is full, has failed or is exclusive.
func (l *link) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.alone || l.sessions >= maxSessions {
		return false
	}
	l.sessions++
	return true
}

// claim makes a link exclusive to its current sessions, or shared again.
func (l *link) claim(alone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alone = alone
}

// lonely reports whether a link has only one session.
func (l *link) lonely() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sessions == 1
}
