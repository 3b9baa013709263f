package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// pulse is how often the bars are drawn, and patience how long a download
	// goes on before it gets one: what is quick needs none.
	pulse    = 200 * time.Millisecond
	patience = 500 * time.Millisecond

	// lineEvery is how often there is a line about each download instead.
	lineEvery = time.Second
)

// A progress shows how far downloads are, by asking their meters from time to time:
// as bars at the bottom of a terminal, or a line now and then. What is written to it
// stands above the bars.
type progress struct {
	style string // "auto", "bar", "plain" or "none"
	asked bool   // the style was asked for
	out   io.Writer
	quiet *sync.Mutex // held while somebody is asked something

	running, done atomic.Int64 // downloads

	mu      sync.Mutex
	tracks  []*track
	total   *mpb.Bar
	bars    *mpb.Progress
	refresh chan any
	stop    chan struct{}
	drawn   sync.WaitGroup
}

// A track is one download.
type track struct {
	download.Meter
	res   *fetchers.Resource // tells how far it is, if it is not nil
	name  string
	begun time.Time
	last  time.Time // when there was a line about it
	bar   *mpb.Bar
}

func (p *progress) add(flags *pflag.FlagSet) {
	p.style = "auto"
	flags.Var(oneOf(&p.style, "auto", "bar", "plain", "none"), "progress", "show how far downloads are; auto is bar for files at a terminal")
}

// start decides what is shown, on out.
func (p *progress) start(out io.Writer, silent bool, asking *sync.Mutex) {
	p.out, p.quiet, p.asked = out, asking, p.style == "bar" || p.style == "plain"
	switch {
	case silent, p.style == "", p.style == "auto" && !terminal(out):
		p.style = "none"
	case p.style == "auto":
		p.style = "bar"
	}
}

// follow begins to show a download, until end is called.
func (p *progress) follow(name string) (meter *download.Meter, end func()) {
	if p.style == "none" {
		return nil, func() {}
	}
	t := &track{name: visible(name)}
	return &t.Meter, p.begin(t)
}

// watch begins to show how far res is, which goes to out, if that was asked for. A bar
// and a text do not go together at one terminal.
func (p *progress) watch(res *fetchers.Resource, out io.Writer) (end func()) {
	if !p.asked || p.style == "none" || p.style == "bar" && terminal(out) {
		return func() {}
	}
	return p.begin(&track{name: visible(cmp.Or(res.URL.Base(), res.URL.Redacted())), res: res})
}

func (p *progress) begin(t *track) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	t.begun, t.last = now, now
	p.tracks = append(p.tracks, t)
	p.running.Add(1)
	if p.stop == nil {
		p.stop = make(chan struct{})
		p.drawn.Go(p.draw)
	}
	return func() { p.end(t) }
}

func (p *progress) end(t *track) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running.Add(-1)
	p.done.Add(1)
	p.tracks = slices.DeleteFunc(p.tracks, func(other *track) bool { return other == t })
	if t.bar != nil {
		t.bar.Abort(true)
	}
}

// draw shows what there is to be shown, again and again.
func (p *progress) draw() {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			if p.quiet.TryLock() {
				p.show(now)
				p.quiet.Unlock()
			}
		case <-p.stop:
			return
		}
	}
}

func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tracks {
		switch {
		case p.style == "plain" && now.Sub(t.last) >= lineEvery:
			t.last = now
			fmt.Fprintf(p.out, "fetch: %s: %s, %s\n", t.name, t.amount(), t.rate())
		case p.style == "bar" && t.bar == nil && now.Sub(t.begun) >= patience:
			p.open()
			t.bar = p.bars.New(0, mpb.BarStyle().Lbound("[").Filler("#").Tip("#").Padding(" ").Rbound("]"),
				mpb.PrependDecorators(decor.Name(shortened(t.name, nameWidth(p.out)), decor.WCSyncSpaceR)),
				mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return t.amount() }, decor.WCSyncSpace),
					decor.Any(func(decor.Statistics) string { return t.rate() }, decor.WCSyncSpace),
					decor.Any(func(decor.Statistics) string { return t.left() }, decor.WCSyncSpace)))
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

// nameWidth returns how wide the name of a download may be on out.
func nameWidth(out io.Writer) int {
	if width := columns(out); width > 0 {
		return min(24, width/4)
	}
	return 24
}

// open makes room for the bars, and a line about all of them.
func (p *progress) open() {
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

// close ends the bars, and leaves the terminal as it would be without them.
func (p *progress) close() {
	if p.stop == nil {
		return
	}
	close(p.stop)
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

// Write writes to where the bars are, above them.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars == nil {
		return p.out.Write(b)
	}
	// The terminal may have echoed a ^C, so the line begins at its beginning.
	_, err := p.bars.Write(append([]byte("\r"), b...))
	return len(b), err
}

// Have returns how many octets are there.
func (t *track) Have() int64 {
	if t.res != nil {
		return t.res.Received()
	}
	return t.Meter.Have()
}

// Size returns how many there will be, or less than 1 if that is not known.
func (t *track) Size() int64 {
	if t.res != nil {
		return t.res.Size
	}
	return t.Meter.Size()
}

// amount says how much there is, and of how much.
func (t *track) amount() string {
	if size := t.Size(); size > 0 {
		return human(float64(t.Have())) + " of " + human(float64(size))
	}
	return human(float64(t.Have()))
}

// rate says how fast it is.
func (t *track) rate() string {
	return human(float64(t.Have()-t.Resumed())/time.Since(t.begun).Seconds()) + "/s"
}

// left says for how long it will go on.
func (t *track) left() string {
	come, missing := t.Have()-t.Resumed(), t.Size()-t.Have()
	if come <= 0 || missing < 0 {
		return ""
	}
	rest := time.Duration(float64(time.Since(t.begun)) / float64(come) * float64(missing))
	return rest.Round(time.Second).String() + " left"
}

// human returns a number of bytes for people, in eight columns at most.
func human(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for limit := 1024.0; n >= limit && i < len(units)-1; limit = 999.5 {
		n /= 1024
		i++
	}
	if i == 0 || n >= 99.95 {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}
