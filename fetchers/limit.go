package fetchers

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Limiter is a Fetcher that enforces limits on another Fetcher. Its fields must not change while
// in use.
type Limiter struct {
	Fetcher Fetcher // usually a *Client

	// MaxSize is the maximum size of a Body, in bytes; 0 means no limit. A resource with a larger
	// announced size fails with ErrTooLarge at once, and one that exceeds the limit while it is
	// read fails then.
	MaxSize int64

	// Rate is the maximum rate of all Bodies together, in bytes per second; 0 means no limit.
	Rate int64

	// Least is the minimum rate of a server, in bytes per second, on the average of each Span.
	// Below it the error is ErrStalled. 0 means no limit. The measurement starts with the first
	// wait for a byte: for replies before there is a Resource, and then for the Body. Only time
	// spent waiting counts, not the time between two calls of Read. See Pace.
	Least int64
	Span  time.Duration // 0 means 30 seconds

	// MaxListing sets the MaxListing of every Resource.
	MaxListing int64

	mu   sync.Mutex
	next time.Time // time at which the next byte may arrive, at Rate
}

// Fetch fetches req within the limits.
func (l *Limiter) Fetch(ctx context.Context, req *Request) (*Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	pace := l.pace()
	if l.MaxSize > 0 {
		limited := *req
		limited.MaxSize = l.MaxSize
		req = &limited
	}
	res, err := Fetch(withPace(ctx, pace), l.Fetcher, req)
	pace.begin()
	if err != nil || req.Describe {
		return res, err
	}
	res.MaxListing = l.MaxListing
	if err := req.CheckSize(res); err != nil {
		res.Close()
		return nil, NewError("fetch", res.URL, err)
	}
	if l.MaxSize <= 0 && l.Rate <= 0 && pace == nil {
		return res, nil
	}
	cancel := func() {}
	if l.Rate > 0 { // only Rate waits for ctx
		ctx, cancel = context.WithCancel(ctx)
	}
	res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
		return &limited{limiter: l, src: src, ctx: ctx, cancel: cancel, pace: pace}
	})
	return res, nil
}

// pace returns the Pace of a fetch, or nil.
func (l *Limiter) pace() *Pace {
	switch {
	case l.Least <= 0:
		return nil
	case l.Span <= 0:
		return &Pace{least: l.Least, span: 30 * time.Second}
	}
	return &Pace{least: l.Least, span: l.Span}
}

// CheckSize returns ErrTooLarge if the announced size of the Body of res exceeds MaxSize.
func (r *Request) CheckSize(res *Resource) error {
	if size := announced(res); r.MaxSize > 0 && size > r.MaxSize {
		return fmt.Errorf("%w: %d bytes, and the limit is %d", ErrTooLarge, size, r.MaxSize)
	}
	return nil
}

// announced returns the announced size of the Body, or a negative number if there is none.
func announced(res *Resource) int64 {
	switch {
	case res.Kind == Unchanged:
		return 0
	case res.Range.Length > 0:
		return res.Range.Length
	}
	return res.Size - res.Range.Offset
}

// CloseIdle closes the idle connections of the Fetcher.
func (l *Limiter) CloseIdle() {
	if f, ok := l.Fetcher.(IdleCloser); ok {
		f.CloseIdle()
	}
}

// slack limits the unused time that later bytes may use up at once.
const slack = 100 * time.Millisecond

// wait waits until n more bytes may arrive.
func (l *Limiter) wait(ctx context.Context, n int) error {
	l.mu.Lock()
	now := time.Now()
	if past := now.Add(-slack); l.next.Before(past) {
		l.next = past
	}
	l.next = l.next.Add(time.Duration(n) * time.Second / time.Duration(l.Rate))
	until := l.next.Sub(now)
	l.mu.Unlock()
	return sleep(ctx, until)
}

// A limited is the source of a Body with limits.
type limited struct {
	limiter *Limiter
	src     io.ReadCloser
	ctx     context.Context
	cancel  context.CancelFunc
	count   int64

	once   sync.Once
	closed error // error of closing src

	pace *Pace // nil without Least
}

func (b *limited) Read(p []byte) (int, error) {
	l := b.limiter
	if l.Rate > 0 {
		p = p[:min(int64(len(p)), max(l.Rate/10, 1))]
	}
	begin := time.Now()
	stop := b.watch()
	n, err := b.src.Read(p)
	ended := stop()
	if b.pace != nil {
		b.pace.add(time.Since(begin), n)
	}
	b.count += int64(n)
	switch {
	case ended && err != io.EOF:
		return n, b.pace.late()
	case l.MaxSize > 0 && b.count > l.MaxSize:
		return 0, fmt.Errorf("%w: more than the limit of %d bytes", ErrTooLarge, l.MaxSize)
	case l.Rate > 0 && n > 0:
		if werr := l.wait(b.ctx, n); werr != nil {
			return n, werr
		}
	}
	if err == nil && b.pace != nil {
		err = b.pace.judge()
	}
	return n, err
}

// watch closes the source if a Read lasts until the end of the current Span, or of the next one if
// this Span has brought enough already. stop ends the watch, and reports whether it has closed the
// source.
func (b *limited) watch() (stop func() bool) {
	if b.pace == nil {
		return func() bool { return false }
	}
	timer := time.AfterFunc(b.pace.left(), func() { b.end() })
	return func() bool { return !timer.Stop() }
}

func (b *limited) Close() error {
	b.cancel()
	return b.end()
}

// end closes src once; watch and Close may call it concurrently.
func (b *limited) end() error {
	b.once.Do(func() { b.closed = b.src.Close() })
	return b.closed
}
