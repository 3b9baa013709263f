package http

import (
	"cmp"
	"context"
	"io"
	nethttp "net/http"
	"sync"
	"time"
)

// The HTTP/2 client of net/http can deadlock: after a WINDOW_UPDATE beyond the largest window of a
// stream (RFC 9113, section 6.9.1), its reader waits for a lock that it holds itself (Go 1.26.8,
// processWindowUpdate and abortStream). A RoundTrip, Read or Close that waits for this lock does
// not return when its context ends or the connection is closed. Therefore each of these calls runs
// in a goroutine of its own. If the call does not return within maxLeaving after its end was
// requested, the goroutine is abandoned. No caller waits for such a goroutine while it holds the
// lock of the Fetcher.

// maxLeaving limits how long a call into net/http may take to return after its end was requested.
const maxLeaving = time.Second

// roundTripDetached calls send and returns its response. If ctx ends and send does not return within
// maxLeaving, roundTripDetached calls leave and returns the error of ctx.
func roundTripDetached(ctx context.Context, send func() (*nethttp.Response, error), leave func()) (*nethttp.Response, error) {
	type outcome struct {
		resp *nethttp.Response
		err  error
	}
	done, left := make(chan outcome), make(chan struct{})
	go func() {
		resp, err := send()
		select {
		case done <- outcome{resp, err}:
		case <-left:
			if err == nil {
				resp.Body.Close()
			}
		}
	}()
	select {
	case o := <-done:
		return o.resp, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.resp, o.err
	case <-time.After(maxLeaving):
		close(left)
		leave()
		return nil, context.Cause(ctx)
	}
}

// callDetached calls do, and returns after maxLeaving at the latest.
func callDetached(do func()) {
	done := make(chan struct{})
	go func() {
		do()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(maxLeaving):
	}
}

// A detachedBody is the body of an HTTP/2 response. A Read returns when the context ends, the body is
// closed, or the stall limit passes. The limit is enforced here because a connection carries many
// streams: one stream may stall while others receive data.
type detachedBody struct {
	body   io.ReadCloser
	ctx    context.Context
	shared *shared
	stall  time.Duration // how long a Read may wait; 0 means no limit
	cancel func()        // ends ctx
	closed chan struct{}
	close  sync.Once

	done   chan count
	failed error // error of a Read that stalled or was abandoned in net/http
}

// A count is the result of a Read.
type count struct {
	n   int
	err error
}

// detachedBuffer is the size of the buffer of a Read: four DATA frames.
const detachedBuffer = 64 << 10

// detachedBuffers is a pool of read buffers. A Read does not use the buffer of its caller, because an
// abandoned Read in net/http may still write to its buffer. Without the pool, allocating and
// clearing a buffer per file took a third of the processor time of a download of 5,000 small files.
var detachedBuffers = sync.Pool{New: func() any { return new([detachedBuffer]byte) }}

func newDetachedBody(ctx context.Context, body io.ReadCloser, c *shared, stall time.Duration, cancel func()) *detachedBody {
	return &detachedBody{body: body, ctx: ctx, shared: c, stall: stall, cancel: cancel, closed: make(chan struct{}), done: make(chan count, 1)}
}

func (b *detachedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	most := min(len(p), detachedBuffer)
	buffer := detachedBuffers.Get().(*[detachedBuffer]byte)
	go func() {
		n, err := b.body.Read(buffer[:most])
		b.done <- count{n, err}
	}()
	take := func(c count) (int, error) {
		copy(p, buffer[:c.n])
		detachedBuffers.Put(buffer)
		return c.n, c.err
	}
	began := time.Now()
	var late <-chan time.Time
	if b.stall > 0 {
		t := time.NewTimer(b.stall)
		defer t.Stop()
		late = t.C
	}
	select {
	case c := <-b.done:
		return take(c)
	case <-b.ctx.Done():
	case <-b.closed:
	case <-late:
		b.failed = stallError(b.stall)
		b.shared.doubt(began)
		b.Close()
	}
	select {
	case c := <-b.done:
		n, err := take(c)
		return n, cmp.Or(b.failed, err)
	case <-time.After(maxLeaving):
		b.failed = cmp.Or(b.failed, b.ctx.Err(), nethttp.ErrBodyReadAfterClose)
		b.shared.leave()
		return 0, b.failed
	}
}

func (b *detachedBody) Close() error {
	b.close.Do(func() {
		close(b.closed)
		done := make(chan struct{})
		go func() {
			b.body.Close()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(maxLeaving):
			b.shared.leave()
		}
		b.cancel()
	})
	return nil
}
