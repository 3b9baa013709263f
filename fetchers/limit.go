package fetchers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrTooLarge says that a resource is larger than a Limiter allows.
var ErrTooLarge = errors.New("too large")

// A Limiter is a Fetcher that keeps what another one brings within bounds. Its
// fields must not change in use.
type Limiter struct {
	Fetcher Fetcher // usually a *Client

	// MaxSize is how many bytes a Body may have; 0 is any number. A resource
	// that is announced as larger is ErrTooLarge at once, and one that turns out
	// to be larger is when it does.
	MaxSize int64

	// Rate is how many bytes a second all Bodies together may bring; 0 is any
	// number.
	Rate int64

	// Least is how many bytes a second a Body has to bring, on the average of
	// each Span; otherwise it is ErrStalled, and so it is if nothing comes at all. 0 is
	// none. Only the time counts that is spent waiting for it, and not that between one
	// Read and the next.
	Least int64
	Span  time.Duration // 0 means 30 seconds

	mu   sync.Mutex
	next time.Time // when the next byte may come, at Rate
}

// Fetch fetches req within the bounds.
func (l *Limiter) Fetch(ctx context.Context, req *Request) (*Resource, error) {
	res, err := l.Fetcher.Fetch(ctx, req)
	if err != nil || req.Describe {
		return res, err
	}
	if size := announced(res); l.MaxSize > 0 && size > l.MaxSize {
		res.Close()
		return nil, NewError("fetch", res.URL, fmt.Errorf("%w: %d bytes, and the limit is %d", ErrTooLarge, size, l.MaxSize))
	}
	ctx, cancel := context.WithCancel(ctx)
	src := &limited{limiter: l, ctx: ctx, cancel: cancel}
	if b, ok := res.Body.(*body); ok && b.src != nil {
		src.src, b.src = b.src, src
	} else {
		src.src = res.Body
		res.SetBody(src)
	}
	return res, nil
}

// announced returns how many bytes are said to come, or less than 0 if nothing is said.
func announced(res *Resource) int64 {
	switch {
	case res.Kind == Unchanged:
		return 0
	case res.Range.Length > 0:
		return res.Range.Length
	}
	return res.Size - res.Range.Offset
}

// CloseIdle closes the connections that the Fetcher keeps.
func (l *Limiter) CloseIdle() {
	if f, ok := l.Fetcher.(IdleCloser); ok {
		f.CloseIdle()
	}
}

// slack is for how long a rate may be made up for that was not used.
const slack = 100 * time.Millisecond

// wait waits until n more bytes may have come.
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

// A limited is the source of a Body within bounds.
type limited struct {
	limiter *Limiter
	src     io.ReadCloser
	ctx     context.Context
	cancel  context.CancelFunc
	count   int64

	once   sync.Once
	closed error // what closing src has said

	waited time.Duration // of the present Span
	span   int64         // what has come in it
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
	b.waited += time.Since(begin)
	b.count += int64(n)
	switch {
	case ended && err != io.EOF:
		b.span += int64(n)
		return n, b.late()
	case l.MaxSize > 0 && b.count > l.MaxSize:
		return 0, fmt.Errorf("%w: more than the limit of %d bytes", ErrTooLarge, l.MaxSize)
	case l.Rate > 0 && n > 0:
		if werr := l.wait(b.ctx, n); werr != nil {
			return n, werr
		}
	}
	if err == nil && l.Least > 0 {
		err = b.slow(n)
	}
	return n, err
}

// watch ends a Read that lasts until the end of the present Span, or of the next one if
// this has brought enough already. The function that it returns ends the watch, and
// reports whether it has ended the Read.
func (b *limited) watch() (stop func() bool) {
	if b.limiter.Least <= 0 {
		return func() bool { return false }
	}
	span := b.limiter.spanLimit()
	left := span - b.waited
	if float64(b.span) >= float64(b.limiter.Least)*span.Seconds() {
		left += span
	}
	timer := time.AfterFunc(max(left, 0), func() { b.end() })
	return func() bool { return !timer.Stop() }
}

// spanLimit is how long a Span is.
func (l *Limiter) spanLimit() time.Duration {
	if l.Span <= 0 {
		return 30 * time.Second
	}
	return l.Span
}

// slow returns an error if a Span has passed that brought less than it should.
func (b *limited) slow(n int) error {
	b.span += int64(n)
	if b.waited < b.limiter.spanLimit() {
		return nil
	}
	if b.rate() < float64(b.limiter.Least) {
		return b.late()
	}
	b.waited, b.span = 0, 0
	return nil
}

// rate is how many bytes a second the present Span has brought.
func (b *limited) rate() float64 { return float64(b.span) / b.waited.Seconds() }

// late is the error for a Span that has brought too little.
func (b *limited) late() error {
	return fmt.Errorf("%w: %.0f bytes a second for %v, and the least is %d", ErrStalled, b.rate(), b.waited.Round(time.Second), b.limiter.Least)
}

func (b *limited) Close() error {
	b.cancel()
	return b.end()
}

// end closes src, which watch and Close may do at the same time.
func (b *limited) end() error {
	b.once.Do(func() { b.closed = b.src.Close() })
	return b.closed
}
