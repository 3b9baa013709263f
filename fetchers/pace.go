package fetchers

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// A Pace is the minimum rate of one fetch, which a Limiter sets by Least and Span. It is measured
// from the first wait for a byte: on connections until there is a Resource, and then on the Body.
// Only time spent waiting counts. The connections of this module enforce it; a Fetcher that makes
// its own may do so too. A nil *Pace is no limit.
type Pace struct {
	least int64
	span  time.Duration

	mu     sync.Mutex
	waited time.Duration // time spent waiting in the current span
	came   int64         // bytes in the current span
	body   bool          // whether there is a Resource
}

// Unpaced is the result of Left without a limit.
const Unpaced time.Duration = math.MaxInt64

type paceKey struct{}

// withPace returns a context whose connections enforce p.
func withPace(ctx context.Context, p *Pace) context.Context {
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, paceKey{}, p)
}

// ContextPace returns the Pace of ctx, or nil. ctx may be nil.
func ContextPace(ctx context.Context) *Pace {
	if ctx == nil {
		return nil
	}
	p, _ := ctx.Value(paceKey{}).(*Pace)
	return p
}

// Left returns how long a Read may wait: until the end of the current span, or of the next one if
// this span has brought enough bytes. It returns Unpaced without a Pace, and once the Body has
// begun.
func (p *Pace) Left() time.Duration {
	if p == nil {
		return Unpaced
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.body {
		return Unpaced
	}
	return p.left()
}

func (p *Pace) left() time.Duration {
	left := p.span - p.waited
	if float64(p.came) >= float64(p.least)*p.span.Seconds() {
		left += p.span
	}
	return max(left, 0)
}

// Waited records that n bytes arrived on a connection after a wait of d. It returns ErrStalled if a
// span has passed with too few bytes.
func (p *Pace) Waited(d time.Duration, n int) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.body {
		return nil
	}
	p.add(d, n)
	return p.judge()
}

// begin ends the measurement on connections when the Body begins.
func (p *Pace) begin() {
	if p != nil {
		p.mu.Lock()
		p.body = true
		p.mu.Unlock()
	}
}

func (p *Pace) add(d time.Duration, n int) {
	p.waited += d
	p.came += int64(n)
}

// judge returns an error if a span has passed with too few bytes.
func (p *Pace) judge() error {
	if p.waited < p.span {
		return nil
	}
	var slow error
	if p.rate() < float64(p.least) {
		slow = p.late()
	}
	p.waited, p.came = 0, 0 // the next span may belong to another attempt
	return slow
}

// rate returns the bytes per second of the current span.
func (p *Pace) rate() float64 { return float64(p.came) / p.waited.Seconds() }

// Expired records a wait of d, the result of Left, in which no byte arrived. It returns ErrStalled.
// The next wait starts a new span.
func (p *Pace) Expired(d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(d, 0)
	err := p.late()
	p.waited, p.came = 0, 0
	return err
}

func (p *Pace) late() error {
	if float64(p.came) >= float64(p.least)*p.span.Seconds() { // all bytes arrived in the span before
		return fmt.Errorf("%w: nothing for %v", ErrStalled, p.span)
	}
	return fmt.Errorf("%w: %.0f bytes a second for %v, and the minimum is %d", ErrStalled, p.rate(), p.waited.Round(time.Second), p.least)
}
