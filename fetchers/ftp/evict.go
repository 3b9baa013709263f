package ftp

import (
	"context"
	"time"
)

// maxEntries is how often a fetch connects: a server may show two habits, one after the other.
const maxEntries = 3

// open connects to the server of e and logs in. It does so again if the server shows a habit, or if
// the server is full and kept connections occupy places. If connections are limited, it requests
// the login directory at once, so that the connection can later serve another directory.
func (f *Fetcher) open(ctx context.Context, e errand) (s *session, err error) {
	who, _ := f.credential(e.req)
	e.regular = f.pool.Count(keyOf(e.req, who)) > 1 || f.Network.ConnPerHostLimit() > 0
	for range maxEntries {
		s, err = f.enter(ctx, e)
		if err == nil || s.ctl == nil || ctx.Err() != nil || !s.learns() && !s.makesRoom(ctx, err) {
			break
		}
	}
	return s, err
}

// sameServer reports whether the connections of other are to the server of k.
func (k key) sameServer(other key) bool { return other.addr == k.addr }

// makesRoom closes the kept connections to the server, including those of other logins, if err
// means that the server is full. It reports whether a connection was closed.
func (s *session) makesRoom(ctx context.Context, err error) bool {
	if !isCrowded(err) {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	ended := s.evict(func(kept *session) { kept.awaitEnd(limited) })
	if ended {
		s.ctl.trace.Note("the server is full, so the kept connections are closed")
	}
	return ended && ctx.Err() == nil
}

// evict closes the kept connections to the server, of all logins.
func (s *session) evict(wait func(*session)) bool {
	return s.f.pool.Evict(func(other key, _ *session) bool { return s.key.sameServer(other) }, wait)
}

// awaitEnd waits until the server has closed the connection, after QUIT was sent.
func (s *session) awaitEnd(ctx context.Context) {
	s.Bind(ctx)
	for {
		if _, err := s.ctl.next(); err != nil {
			return
		}
	}
}

// A turn closes kept connections to a server while s waits for its greeting: the server may serve
// one client at a time.
type turn struct {
	s       *session
	cancel  context.CancelFunc
	done    chan struct{}
	evicted bool
}

// nextLook is the interval in which a turn checks for kept connections.
const nextLook = lastWord / 10

// takeTurn starts a turn, if there are other connections to the server.
func (s *session) takeTurn(e errand) *turn {
	t := &turn{s: s}
	if s.f.pool.Open(s.key.sameServer) < 2 {
		return t
	}
	ctx, cancel := context.WithCancel(s.ctx)
	t.cancel, t.done = cancel, make(chan struct{})
	go t.run(ctx, e.dirs)
	return t
}

// run first closes the connections that cannot be used for dirs. It closes the others if the
// greeting takes long, or if the server is known to serve one client at a time.
func (t *turn) run(ctx context.Context, dirs []string) {
	defer close(t.done)
	if !t.s.f.habits.of(t.s.key.addr).oneClient {
		first := min(lastWord, t.s.ctl.between)
		if !pause(ctx, first) {
			return
		}
		t.s.leave(dirs)
		if !pause(ctx, t.s.ctl.between-first) {
			return
		}
	}
	for pause(ctx, nextLook) {
		t.evicted = t.s.evict(nil) || t.evicted
	}
}

// leave closes the kept connections of the same login that cannot change to dirs.
func (s *session) leave(dirs []string) {
	s.f.pool.Evict(func(other key, kept *session) bool {
		if other != s.key {
			return false
		}
		_, ok := kept.way(dirs)
		return !ok
	}, nil)
}

// pause waits for d. It returns false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// end ends the turn, whether a greeting arrived or not.
func (t *turn) end() {
	if t.cancel == nil {
		return
	}
	t.cancel()
	<-t.done
	if t.evicted && t.s.ctl.greeted {
		t.s.ctl.trace.Note("the server did not greet until another connection ended, so it serves one client at a time")
		t.s.f.habits.learn(t.s.key.addr, habit{oneClient: true})
	}
}
