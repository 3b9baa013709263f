package ftp

import (
	"context"
	"time"
)

// maxEntries is how often a fetch connects: a server may show two habits, one after the other.
const maxEntries = 3

// open connects to the server of e and logs in: once as usual, and again if the server shows a
// habit meanwhile, or has no place left and kept connections hold some.
func (f *Fetcher) open(ctx context.Context, e errand) (s *session, err error) {
	who, _ := f.credential(e.req)
	k := keyOf(e.req, who)
	e.regular = f.pool.Count(k) > 1
	left := f.leave(k, e)
	for range maxEntries {
		s, err = f.enter(ctx, e)
		if err == nil || s.ctl == nil || ctx.Err() != nil || !s.learns() && !s.makesRoom(ctx, err, left) {
			break
		}
		left = false
	}
	return s, err
}

// sameServer reports whether the connections with other are to the server of k.
func (k key) sameServer(other key) bool { return other.addr == k.addr }

// leave ends the kept connections with k from whose directories there is no way to that of e, and
// reports whether there was one. Some servers serve one client at a time: another connection gets
// no greeting before the first has ended.
func (f *Fetcher) leave(k key, e errand) bool {
	return f.pool.Evict(func(other key, s *session) bool {
		if other != k {
			return false
		}
		_, ok := s.way(e.dirs)
		return !ok
	}, nil)
}

// makesRoom ends the kept connections to the server, those of other logins too, if err is that it
// lets in no more users. It reports whether there may be room now: a connection has ended, or the
// server gets time to notice the end of one that has just left.
func (s *session) makesRoom(ctx context.Context, err error, left bool) bool {
	if !isCrowded(err) {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	ended := s.evict(func(kept *session) { kept.awaitEnd(limited) })
	switch {
	case ended:
		s.ctl.trace.Note("the server lets in no more users, so the kept connections end")
	case left:
		s.ctl.trace.Note("the server lets in no more users, so it gets time to notice the end of a connection")
		<-limited.Done()
	}
	return (ended || left) && ctx.Err() == nil
}

// evict ends the kept connections to the server, whoever has logged in.
func (s *session) evict(wait func(*session)) bool {
	return s.f.pool.Evict(func(other key, _ *session) bool { return s.key.sameServer(other) }, wait)
}

// awaitEnd waits until the server has closed the connection, to which QUIT was sent.
func (s *session) awaitEnd(ctx context.Context) {
	s.Bind(ctx)
	for {
		if _, err := s.ctl.next(); err != nil {
			return
		}
	}
}

// A turn ends kept connections to a server while s waits for its greeting: it may serve one client
// after the other.
type turn struct {
	s       *session
	cancel  context.CancelFunc
	done    chan struct{}
	evicted bool
}

// nextLook is how long a turn waits before it looks again for a kept connection.
const nextLook = lastWord / 10

// takeTurn begins a turn, if there are other connections to the server. It gives the greeting some
// time unless the server is known to serve one client.
func (s *session) takeTurn() *turn {
	t := &turn{s: s}
	if s.f.pool.Open(s.key.sameServer) < 2 {
		return t
	}
	ctx, cancel := context.WithCancel(s.ctx)
	t.cancel, t.done = cancel, make(chan struct{})
	limit := s.ctl.between
	if s.f.habits.of(s.key.addr).oneClient {
		limit = nextLook
	}
	go t.run(ctx, limit)
	return t
}

func (t *turn) run(ctx context.Context, limit time.Duration) {
	defer close(t.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(limit):
		}
		t.evicted = t.s.evict(nil) || t.evicted
		limit = nextLook
	}
}

// end ends the turn, with the greeting or without.
func (t *turn) end() {
	if t.cancel == nil {
		return
	}
	t.cancel()
	<-t.done
	if t.evicted && t.s.ctl.greeted {
		t.s.ctl.trace.Note("the server has not greeted before another connection ended, so it serves one client at a time")
		t.s.f.habits.learn(t.s.key.addr, habit{oneClient: true})
	}
}
