package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A service that has said a prompt, which is a line without an end, and then
// nothing for a second waits for an answer. After a whole line there may be more
// to come, such as a prompt for which a name is looked up first.
const (
	afterPrompt = time.Second
	afterLine   = 5 * time.Second
)

// fetcher returns what fetches. With --banner it makes a document of what a service
// says first.
func (a *app) fetcher() fetchers.Fetcher {
	if a.session.banner == 0 {
		return a.client
	}
	return fetchers.FetcherFunc(a.overhear)
}

// overhear fetches req and listens to the service, if it names one.
func (a *app) overhear(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	res, err := a.client.Fetch(ctx, req)
	if err != nil || res.Kind != fetchers.Session {
		return res, err
	}
	res.Close()
	hint, err := a.opened(ctx, res)
	if err != nil {
		return nil, err
	}
	conn, err := hint.Dial(ctx)
	if err != nil {
		return nil, err
	}
	stall := (&fetchers.Network{Stall: a.route.stall.orNever()}).StallLimit()
	b := newBanner(conn, int64(a.session.banner), stall)
	res.Kind, res.MediaType, res.Confirmed = fetchers.Document, "text/plain", b.over.Load
	res.SetBody(b)
	return res, nil
}

// A banner is what a service says first. It ends when nothing more comes, at a
// limit, or when the service ends it, which is the only end that is certain.
type banner struct {
	conn  io.ReadWriteCloser
	left  int64
	stall time.Duration // how long to wait for the first of it; 0 is for ever

	parts  chan part
	closed chan struct{}
	close  sync.Once

	rest []byte
	err  error
	last byte
	any  bool
	over atomic.Bool
}

// A part is what one Read of the connection has returned.
type part struct {
	octets []byte
	err    error
}

func newBanner(conn io.ReadWriteCloser, limit int64, stall time.Duration) *banner {
	b := &banner{conn: conn, left: limit, stall: stall, parts: make(chan part), closed: make(chan struct{})}
	go b.receive()
	return b
}

// receive hands out what comes until the connection ends, be it with its context,
// or is closed.
func (b *banner) receive() {
	for {
		buf := make([]byte, 4096)
		n, err := b.conn.Read(buf)
		select {
		case b.parts <- part{buf[:n], err}:
		case <-b.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

func (b *banner) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.left == 0 {
			b.err = io.EOF
		}
		if b.err == nil {
			b.wait()
		}
		if b.err != nil && len(b.rest) == 0 {
			return 0, b.err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// wait waits for the next part, or for long enough to take silence for the end.
func (b *banner) wait() {
	patience := afterLine
	switch {
	case !b.any:
		patience = b.stall
	case b.last != '\n':
		patience = afterPrompt
	}
	var silence <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		silence = timer.C
	}
	select {
	case got := <-b.parts:
		b.rest, b.err = got.octets[:min(int64(len(got.octets)), b.left)], got.err
		b.left -= int64(len(b.rest))
		b.over.Store(got.err == io.EOF)
		if len(b.rest) > 0 {
			b.any, b.last = true, b.rest[len(b.rest)-1]
		}
	case <-silence:
		b.err = io.EOF
		if !b.any {
			b.err = fmt.Errorf("%w: the service says nothing for %v", fetchers.ErrStalled, patience)
		}
	}
}

// Close ends the session.
func (b *banner) Close() error {
	b.close.Do(func() { close(b.closed) })
	return b.conn.Close()
}
