package term

import (
	"cmp"
	"fmt"
	"io"
	"os"
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

	running, done atomic.Int64                  // downloads
	status        atomic.Pointer[func() string] // of the whole run, in place of how many downloads there are; may be nil
	pace          pace

	mu      sync.Mutex
	since   time.Time // when the status began, or was last written
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
	case style == "auto" && os.Getenv("TERM") == "dumb":
		p.style = "plain"
	case style == "auto":
		p.style = "bar"
	}
	return p
}

// Shows reports whether downloads are shown.
func (p *Progress) Shows() bool { return p.style != "none" }

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

// Status begins to show a line about the whole run, below the downloads, until the caller calls end.
func (p *Progress) Status(text func() string) (end func()) {
	if p.style == "none" {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = time.Now()
	p.status.Store(&text)
	p.run()
	return func() {
		none := func() string { return "" }
		p.status.Store(&none)
	}
}

// run begins to draw, unless that has begun. The caller has locked p.
func (p *Progress) run() {
	if p.stop != nil {
		return
	}
	stop := make(chan struct{})
	p.stop = stop
	p.drawn.Go(func() { p.draw(stop) })
}

func (p *Progress) begin(t *track) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	t.begun, t.last = now, now
	p.tracks = append(p.tracks, t)
	p.running.Add(1)
	p.run()
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
				if !inBackground(p.out) { // the terminal is another job's
					p.show(now)
				}
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
	switch status := p.status.Load(); {
	case status == nil:
	case p.style == "plain" && now.Sub(p.since) >= lineEvery:
		p.since = now
		if text := (*status)(); text != "" {
			fmt.Fprintf(p.out, "fetch: %s\n", text)
		}
	case p.style == "bar" && p.bars == nil && now.Sub(p.since) >= barDelay:
		p.open()
	}
	for _, t := range p.tracks {
		switch {
		case p.style == "plain" && p.status.Load() == nil && now.Sub(t.last) >= lineEvery:
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
		p.pace.Store(paceOf(p.tracks, now))
		p.frame(now)
	}
}

// paceOf says how fast downloads are together, and for how long they will go on if that is known of
// all.
func paceOf(tracks []*track, now time.Time) string {
	var come, missing int64
	var begun time.Time
	known := true
	for _, t := range tracks {
		come += t.Have() - t.Resumed()
		missing += t.Size() - t.Have()
		known = known && t.Size() > 0
		if begun.IsZero() || t.begun.Before(begun) {
			begun = t.begun
		}
	}
	rate := float64(come) / now.Sub(begun).Seconds()
	switch {
	case come == 0:
		return ""
	case !known:
		return fmt.Sprintf(", %s/s", Human(rate))
	}
	left := time.Duration(float64(missing) / rate * float64(time.Second))
	return fmt.Sprintf(", %s/s, %s left", Human(rate), left.Round(time.Second))
}

// open makes room for the bars, and a line about all of them.
func (p *Progress) open() {
	if p.bars != nil {
		return
	}
	p.refresh = make(chan any)
	p.bars = mpb.New(mpb.WithOutput(p.out), mpb.WithManualRefresh(p.refresh), mpb.WithWidth(40))
	p.total = p.bars.New(0, mpb.NopStyle(), mpb.BarPriority(1<<30), mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
		if status := p.status.Load(); status != nil {
			return (*status)()
		}
		if done, running := p.done.Load(), p.running.Load(); done+running >= 2 {
			return fmt.Sprintf("%d done, %d on their way%s", done, running, p.pace.Load())
		}
		return ""
	})))
}

// frame has the bars drawn. The terminal may have echoed a ^C behind them, so a frame begins at
// the beginning of a line.
func (p *Progress) frame(now time.Time) {
	if IsTerminal(p.out) {
		io.WriteString(p.out, "\r")
	}
	p.refresh <- now
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
			p.frame(time.Now())
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
	_, err := p.bars.Write(append([]byte("\r"), b...))
	return len(b), err
}

// A pace is a text that two goroutines share.
type pace struct{ atomic.Pointer[string] }

func (p *pace) Load() string {
	if text := p.Pointer.Load(); text != nil {
		return *text
	}
	return ""
}

func (p *pace) Store(text string) { p.Pointer.Store(&text) }
