package ftp

import (
	"context"
	"errors"

	"github.com/seed1ea3422f/fetch/fetchers"
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
	e.others = f.pool.Kept(k.sameServer) > 0
	for range maxEntries {
		s, err = f.enter(ctx, e)
		if err == nil || s.ctl == nil || ctx.Err() != nil || !s.learns() && !s.makesRoom(ctx, err, left) {
			break
		}
		left, e.others = false, false
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
// lets in no more users, or does not greet this one. It reports whether there may be room now: a
// connection has ended, or the server gets time to notice the end of one that has just left.
func (s *session) makesRoom(ctx context.Context, err error, left bool) bool {
	crowded := isCrowded(err)
	if !crowded && !(s.ungreeted && errors.Is(err, fetchers.ErrStalled)) {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	ended := s.f.pool.Evict(func(other key, _ *session) bool { return s.key.sameServer(other) },
		func(kept *session) { kept.awaitEnd(limited) })
	switch {
	case ended:
		s.ctl.trace.Note("the server lets in no more users, so the kept connections end")
	case left && crowded:
		s.ctl.trace.Note("the server lets in no more users, so it gets time to notice the end of a connection")
		<-limited.Done()
		return ctx.Err() == nil
	}
	return ended
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
