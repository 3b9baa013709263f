package sink

import (
	"context"
	"io/fs"
	"sync"
)

// A syncs lets all that wait share one call of sync, which begins after they came.
type syncs struct {
	sync func() error

	mu    sync.Mutex
	busy  bool
	next  *syncing // which begins when the one at work has ended
	ended bool
	all   sync.WaitGroup
}

type syncing struct {
	done chan struct{}
	err  error
}

// wait returns the error of a sync that began after the call of wait, or of ctx.
func (s *syncs) wait(ctx context.Context) error {
	mine, err := s.join()
	if err != nil {
		return err
	}
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join returns the next syncing, and starts it if none is at work.
func (s *syncs) join() (*syncing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, fs.ErrClosed
	}
	if s.next == nil {
		s.next = &syncing{done: make(chan struct{})}
	}
	mine := s.next
	if !s.busy {
		s.busy = true
		s.all.Go(s.run)
	}
	return mine, nil
}

// run syncs until no one waits.
func (s *syncs) run() {
	for {
		s.mu.Lock()
		mine := s.next
		s.next = nil
		s.busy = mine != nil
		s.mu.Unlock()
		if mine == nil {
			return
		}
		mine.err = s.sync()
		close(mine.done)
	}
}

// end returns when no sync is at work. Later calls of wait are refused.
func (s *syncs) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.all.Wait()
}
