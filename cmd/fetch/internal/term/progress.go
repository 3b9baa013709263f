package term

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// pulse is how often the bars are drawn, and barDelay how long a download goes on
	// before it gets one: a quick download needs none.
	pulse    = 200 * time.Millisecond
	barDelay = 500 * time.Millisecond

	// lineEvery is how often each download has a line in the style "plain".
	lineEvery = time.Second
)

// Progress shows how far downloads are, by asking their meters from time to time: as
// bars at the bottom of a terminal, or a line now and then. Text that is written to it
// stands above the bars. The caller closes it.
type Progress struct {
	style string // "bar", "plain" or "none"
	asked bool   // a flag has the style
	out   io.Writer
	quiet *sync.Mutex // held during a question

	running, done atomic.Int64 // downloads

	mu      sync.Mutex
	tracks  []*track
	total   *mpb.Bar
	bars    *mpb.Progress
	refresh chan any
	stop    chan struct{}
	drawn   sync.WaitGroup
}

// newProgress decides on the style, and returns a Progress on out. It shows nothing
// while asking is held.
func newProgress(out io.Writer, settings Settings, asking *sync.Mutex) *Progress {
	style := settings.Progress
	p := &Progress{style: style, out: out, quiet: asking, asked: style == "bar" || style == "plain"}
	switch {
	case settings.Silent, style == "", style == "auto" && !IsTerminal(out):
		p.style = "none"
	case style == "auto":
		p.style = "bar"
	}
	return p
}

// Track begins to show a download, until the caller calls end. The download keeps meter
// up to date; meter is nil if there is nothing to show.
func (p *Progress) Track(name string) (meter *download.Meter, end func()) {
	if p.style == "none" {
		return nil, func() {}
	}
	t := &track{name: Visible(name)}
	return &t.Meter, p.begin(t)
}

// Watch begins to show how far res is, which goes to out, if a flag asks for that, until
// the caller calls end. A bar and a text do not go together at one terminal.
func (p *Progress) Watch(res *fetchers.Resource, out io.Writer) (end func()) {
	if !p.asked || p.style == "none" || p.style == "bar" && IsTerminal(out) {
		return func() {}
	}
	return p.begin(&track{name: Visible(cmp.Or(res.URL.Base(), res.URL.Redacted())), res: res})
}

func (p *Progress) begin(t *track) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	t.begun, t.last = now, now
	p.tracks = append(p.tracks, t)
	p.running.Add(1)
	if p.stop == nil {
		stop := make(chan struct{})
		p.stop = stop
		p.drawn.Go(func() { p.draw(stop) })
	}
	return func() { p.end(t) }
}

func (p *Progress) end(t *track) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running.Add(-1)
	p.done.Add(1)
	p.tracks = slices.DeleteFunc(p.tracks, func(other *track) bool { return other == t })
	if t.bar != nil {
		t.bar.Abort(true)
	}
}

// draw shows the tracks, again and again.
func (p *Progress) draw(stop <-chan struct{}) {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			if p.quiet.TryLock() {
				p.show(now)
				p.quiet.Unlock()
			}
		case <-stop:
			return
		}
	}
}

func (p *Progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tracks {
		switch {
		case p.style == "plain" && now.Sub(t.last) >= lineEvery:
			t.last = now
			fmt.Fprintf(p.out, "fetch: %s: %s, %s\n", t.name, t.amount(), t.rate())
		case p.style == "bar" && t.bar == nil && now.Sub(t.begun) >= barDelay:
			p.open()
			t.bar = p.newBar(t)
		}
		if t.bar != nil {
			if size := t.Size(); size > 0 {
				t.bar.SetTotal(size+1, false) // it is whole when it has its name
			}
			t.bar.SetCurrent(t.Have())
		}
	}
	if p.bars != nil {
		p.refresh <- now
	}
}

// open makes room for the bars, and a line about all of them.
func (p *Progress) open() {
	if p.bars != nil {
		return
	}
	p.refresh = make(chan any)
	p.bars = mpb.New(mpb.WithOutput(p.out), mpb.WithManualRefresh(p.refresh), mpb.WithWidth(40))
	p.total = p.bars.New(0, mpb.NopStyle(), mpb.BarPriority(1<<30), mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
		done, running := p.done.Load(), p.running.Load()
		if done+running < 2 {
			return ""
		}
		return fmt.Sprintf("%d done, %d on their way", done, running)
	})))
}

// newBar returns the bar of t, below the others.
func (p *Progress) newBar(t *track) *mpb.Bar {
	return p.bars.New(0, mpb.BarStyle().Lbound("[").Filler("#").Tip("#").Padding(" ").Rbound("]"),
		mpb.PrependDecorators(decor.Name(Shortened(t.name, nameWidth(p.out)), decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return t.amount() }, decor.WCSyncSpace),
			decor.Any(func(decor.Statistics) string { return t.rate() }, decor.WCSyncSpace),
			decor.Any(func(decor.Statistics) string { return t.left() }, decor.WCSyncSpace)))
}

// nameWidth returns how wide the name of a download may be on out.
func nameWidth(out io.Writer) int {
	if width := Columns(out); width > 0 {
		return min(24, width/4)
	}
	return 24
}

// Close ends the bars, and leaves the terminal as it would be without them. Text that is
// written after that goes to the terminal as before. A second Close does nothing.
func (p *Progress) Close() {
	p.mu.Lock()
	stop := p.stop
	p.stop = nil
	p.mu.Unlock()
	if stop == nil {
		return
	}
	close(stop)
	p.drawn.Wait()
	p.mu.Lock()
	bars := p.bars
	p.bars = nil
	p.mu.Unlock()
	if bars != nil {
		p.total.Abort(true)
		for range 3 { // one shows that they are over, one takes them away, one waits for that
			p.refresh <- time.Now()
		}
		bars.Wait()
	}
}

// Write writes to the place of the bars, above them.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars == nil {
		return p.out.Write(b)
	}
	// The terminal may have echoed a ^C, so the line begins at its beginning.
	_, err := p.bars.Write(append([]byte("\r"), b...))
	return len(b), err
}
