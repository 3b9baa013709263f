package main

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// failures reports the failures of a run as they happen. The first URL that failed, in the order of
// the URLs, decides the exit status.
type failures struct {
	streams *term.Streams
	ctx     context.Context // its end is reported once, and not for each URL; nil is none

	mu      sync.Mutex
	first   error
	at      int // the number of its URL
	classes map[record.Class]int
}

// afterAll is the number of a failure after the last URL.
const afterAll = math.MaxInt

// add reports the failure of a URL. A nil error is no failure.
func (f *failures) add(at int, err error) {
	if err == nil {
		return
	}
	if f.ctx == nil || f.ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		complain(f.streams, err)
	}
	class, _ := record.Classify(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.classes == nil {
		f.classes = make(map[record.Class]int)
	}
	f.classes[class]++
	if f.first == nil || at < f.at {
		f.first, f.at = err, at
	}
}

// hopeless reports whether the command line makes no sense, so that the run can leave out the other
// URLs.
func (f *failures) hopeless() bool {
	_, usage := errors.AsType[record.UsageError](f.err())
	return usage
}

func (f *failures) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// result returns the error of the whole run, which has been reported, or the error of ctx, which
// may have ended between two URLs.
func (f *failures) result(ctx context.Context) error {
	if err := f.err(); err != nil {
		return reported{err}
	}
	return ctx.Err()
}

// complain reports a failure, unless it has been reported before.
func complain(s *term.Streams, err error) {
	if _, done := errors.AsType[reported](err); !done {
		s.Complain(err)
	}
}

// reported is a failure that has been reported to the user.
type reported struct{ error }

func (r reported) Unwrap() error { return r.error }
