package download

import (
	"cmp"
	"context"
	"errors"
	"hash"
	"io"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// ranges fetches the missing spans of a partial file as a share.File decides: it starts the
// connections, reports their events to the File, and updates the journal and the hashes.
type ranges struct {
	fetcher fetchers.Fetcher
	part    *partial
	size    int64
	sources []*source
	hashes  []hash.Hash
	meter   *Meter
	moved   func(failed error, next *fetchers.Request) // called when a source has failed; may be nil
	begun   time.Time
	atOnce  int64 // maximum bytes of one move by the system, which no other connection can take over

	mu     sync.Mutex // guards the fields below, and the states of the sources
	file   *share.File
	crew   *crew
	hashed int64 // bytes from the beginning that the hashes have read
	noted  beat  // ticks when the journal is to be updated
	failed error // the most important error so far
}

// A source is a mirror of the file. With several sources the checksum of the file is known: nothing
// else proves that they have the same content.
type source struct {
	req   *fetchers.Request
	state fetchers.Validator // of the file at this source; zero until the first response
}

// pulse is the interval at which the File gets the time while there are several connections, since
// a stalled connection causes no events.
const pulse = 150 * time.Millisecond

// run fetches all missing spans of the partial file. res is the response of the first source and
// begins at the first gap; took is how long it took.
func (r *ranges) run(ctx context.Context, res *fetchers.Resource, took time.Duration) error {
	ctx, cancel := context.WithCancel(fetchers.WithPause(ctx, nil)) // while one connection waits, others continue
	defer cancel()
	r.begun = time.Now().Add(-took)
	r.crew = newCrew()
	r.noted = newBeat(interval, time.Now())
	stop := r.part.record(r.noted.C, r.have)
	r.mu.Lock()
	first := r.file.Begin(took, took)
	r.start(ctx, &connection{ranges: r, want: span{first.From, first.To}, source: r.sources[0]}, res)
	r.mu.Unlock()
	r.wait(ctx)
	missing := len(r.file.Missing()) > 0
	stop(!missing)
	if missing {
		return cmp.Or(r.failed, context.Cause(ctx), io.ErrUnexpectedEOF)
	}
	return r.hashRest()
}

// wait waits until no connection runs. With a single connection it uses no timer; see package wire.
func (r *ranges) wait(ctx context.Context) {
	select {
	case <-r.crew.ended:
		return
	case <-r.crew.several:
	}
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for {
		select {
		case <-r.crew.ended:
			return
		case <-ticker.C:
			r.tick(ctx)
		}
	}
}

// tick passes the time to the File.
func (r *ranges) tick(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.crew.active > 0 {
		r.do(ctx, r.file.Tick(r.now()))
	}
}

// now returns the time since the request, which the File uses.
func (r *ranges) now() time.Duration { return time.Since(r.begun) }

// start starts a connection. The caller holds the lock.
func (r *ranges) start(ctx context.Context, c *connection, res *fetchers.Resource) {
	own, cancel := context.WithCancel(ctx)
	c.cancel = func() {
		cancel()
		if res != nil {
			res.Close()
		}
	}
	r.crew.add(c)
	go func() {
		err := c.fetch(ctx, own, res)
		r.leave(c)
		r.finish(ctx, c, err)
	}()
}

// leave ensures that a connection is not dropped after it has ended.
func (r *ranges) leave(c *connection) {
	r.mu.Lock()
	delete(r.crew.running, c.id)
	r.mu.Unlock()
	c.dropping.Wait()
}

// finish tells the File that a connection has ended, and carries out its decisions. The program is
// notified without the lock.
func (r *ranges) finish(ctx context.Context, c *connection, err error) {
	r.conclude(ctx, c, err)()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.crew.remove()
}

// conclude tells the File how a connection has ended, and carries out its decisions. It returns the
// function that notifies the program.
func (r *ranges) conclude(ctx context.Context, c *connection, err error) (tell func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tell = func() {}
	var file *FileError
	switch {
	case err == nil:
		r.do(ctx, r.file.Ended(r.now(), c.id))
	case c.dropped && !errors.As(err, &file):
		r.do(ctx, r.file.Failed(r.now(), c.id))
	default:
		r.failed = graver(r.failed, err)
		actions := r.file.Failed(r.now(), c.id)
		if ctx.Err() == nil && !errors.As(err, &file) {
			tell = r.replaced(ctx, c, err, actions)
			r.do(ctx, actions)
		}
	}
	return tell
}

// do carries out the decisions of the File.
func (r *ranges) do(ctx context.Context, actions []share.Action) {
	for _, a := range actions {
		switch c := r.crew.running[a.Conn]; {
		case a.Do == share.Repeat:
			r.meter.add(int(-a.Len()))
		case a.Do == share.Drop && c != nil:
			c.dropped = true
			c.dropping.Go(c.cancel) // closing a Resource may take time
		case a.Do == share.Ask && ctx.Err() == nil:
			r.start(ctx, &connection{ranges: r, id: a.Conn, want: span{a.From, a.To}, source: r.sources[a.Source]}, nil)
		}
	}
}

// replaced returns a function that notifies the program if another source continues for a failed
// one, according to the actions. A failed source that has not answered is not reported while others
// still send.
func (r *ranges) replaced(ctx context.Context, c *connection, err error, actions []share.Action) (tell func()) {
	for _, a := range actions {
		next := r.sources[a.Source]
		switch {
		case a.Do != share.Ask || next == c.source:
		case (c.answered || r.crew.active == 1) && r.moved != nil:
			return func() { r.moved(err, next.req) }
		default:
			return func() {
				fetchers.ContextTrace(ctx).Note("a range is not to be had, so another place is asked: " + err.Error())
			}
		}
	}
	return func() {}
}

// graver returns which of two errors of one download is reported; next is the later one. A failure
// to write has priority, since a restart would not help. An error after which the download can
// restart has priority over its consequences.
func graver(failed, next error) error {
	var file *FileError
	var restart *fetchers.RestartError
	switch {
	case errors.As(failed, &file):
		return failed
	case errors.As(next, &file) || !errors.As(failed, &restart):
		return next
	}
	return failed
}

// have returns the spans of the file that exist.
func (r *ranges) have() []span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return complement(spans(r.file.Missing()), r.size)
}

// spans converts the spans of a File.
func spans(of []share.Span) []span {
	all := make([]span, len(of))
	for i, s := range of {
		all[i] = span{s.From, s.To}
	}
	return all
}

// hashRest hashes the bytes that arrived before the bytes preceding them.
func (r *ranges) hashRest() error {
	for _, h := range r.hashes {
		if _, err := io.Copy(h, io.NewSectionReader(r.part, r.hashed, r.size-r.hashed)); err != nil {
			return fileError(err)
		}
	}
	return nil
}
