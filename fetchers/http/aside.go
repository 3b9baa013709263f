package http

import (
	"cmp"
	"context"
	"io"
	nethttp "net/http"
	"sync"
	"time"
)

// net/http can lock itself up in HTTP/2: after a WINDOW_UPDATE beyond the largest window of a
// stream (RFC 9113, section 6.9.1), its reader waits for a lock that it holds itself (Go
// 1.26.8, processWindowUpdate and abortStream). Neither a context nor Close ends a RoundTrip,
// a Read or a Close of the connection that waits for the same lock. Each is therefore done in a
// goroutine of its own, which is left behind if it does not return soon after it was told to.
// Nothing waits for them that holds the lock of the Fetcher.

// maxLeaving is how long net/http may take to return when it was told to.
const maxLeaving = time.Second

// roundTripAside has send return an answer. If it does not return when ctx has ended, leave
// is called, and the error is that of ctx.
func roundTripAside(ctx context.Context, send func() (*nethttp.Response, error), leave func()) (*nethttp.Response, error) {
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

// doAside calls do, and waits for it no longer than maxLeaving.
func doAside(do func()) {
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

// An aside is the body of a response by HTTP/2, whose reads end when its context does, when
// it is closed or after the stall limit: its connection is not silent when one of its streams
// is.
type aside struct {
	body   io.ReadCloser
	ctx    context.Context
	shared *shared
	stall  time.Duration // how long a Read may wait; 0 means for ever
	cancel func()        // ends ctx
	closed chan struct{}
	close  sync.Once

	done   chan count
	failed error // of the Read that stalled, or that net/http did not return from
}

// A count is the outcome of a Read.
type count struct {
	n   int
	err error
}

// asideBuffer is how much an aside reads at a time: four frames of DATA.
const asideBuffer = 64 << 10

// asideBuffers are those that no Read uses. A Read does not use the buffer of its caller,
// who uses it again after a Read that was left. To make and clear one for each file took a
// third of the processor time of 5,000 small ones.
var asideBuffers = sync.Pool{New: func() any { return new([asideBuffer]byte) }}

func newAside(ctx context.Context, body io.ReadCloser, c *shared, stall time.Duration, cancel func()) *aside {
	return &aside{body: body, ctx: ctx, shared: c, stall: stall, cancel: cancel, closed: make(chan struct{}), done: make(chan count, 1)}
}

func (b *aside) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	most := min(len(p), asideBuffer)
	buffer := asideBuffers.Get().(*[asideBuffer]byte)
	go func() {
		n, err := b.body.Read(buffer[:most])
		b.done <- count{n, err}
	}()
	take := func(c count) (int, error) {
		copy(p, buffer[:c.n])
		asideBuffers.Put(buffer)
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
		b.failed = silence(b.stall)
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

func (b *aside) Close() error {
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
