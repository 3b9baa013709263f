package download

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An EventKind is the kind of an event of an Item.
type EventKind int

const (
	Started  EventKind = iota + 1 // the fetch starts
	Progress                      // more bytes have arrived; Have and Size are set
	Retrying                      // a failed request is sent again; Try, Wait and Err are set
	Ended                         // All is about to yield Saved and Err; the last event of each Item
)

// An Event is an event of an Item of All.
type Event struct {
	Kind EventKind
	Item Item

	Have int64 // bytes of the file so far
	Size int64 // bytes of the whole file; below 1 if unknown

	Try  int           // 1 is the first retry
	Wait time.Duration // before the retry

	Saved Saved
	Err   error // of the failed request, or of the file
}

// A teller passes events to the program, one at a time.
type teller struct {
	tell  func(Event) // nil if the program wants no events
	close chan struct{}
	ended sync.WaitGroup

	telling sync.Mutex // held during a call of tell
	mu      sync.Mutex
	running map[*watched]bool
}

// A watched is an Item that is being fetched.
type watched struct {
	item  Item
	meter *Meter
	have  int64 // bytes in the last Progress event; changed only during a call of tell
}

// newTeller returns a teller. It reports progress until stop is called.
func newTeller(o Options) *teller {
	t := &teller{tell: o.Event, close: make(chan struct{}), running: make(map[*watched]bool)}
	if t.tell == nil {
		return t
	}
	every := o.Every
	if every <= 0 {
		every = time.Second
	}
	t.ended.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t.progress()
			case <-t.close:
				return
			}
		}
	})
	return t
}

// stop ends the goroutine of the teller.
func (t *teller) stop() {
	close(t.close)
	t.ended.Wait()
}

// say passes an event to the program.
func (t *teller) say(e Event) {
	t.telling.Lock()
	defer t.telling.Unlock()
	t.tell(e)
}

// begin reports the start of an item. The context that it returns reports the retries of a fetch.
// Progress is reported until end is called.
func (t *teller) begin(ctx context.Context, item Item, m *Meter) (told context.Context, end func()) {
	if t.tell == nil {
		return ctx, func() {}
	}
	t.say(Event{Kind: Started, Item: item})
	f := &watched{item: item, meter: m}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[f] = true
	told = fetchers.WithTrace(ctx, &fetchers.Trace{Retry: func(_ context.Context, try int, wait time.Duration, err error) {
		t.say(Event{Kind: Retrying, Item: item, Try: try, Wait: wait, Err: err})
	}})
	return told, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.running, f)
	}
}

// progress reports the progress of each running item that has more bytes than in its last event.
func (t *teller) progress() {
	t.mu.Lock()
	running := slices.Collect(maps.Keys(t.running))
	t.mu.Unlock()
	for _, f := range running {
		t.follow(f)
	}
}

// follow reports the progress of an item, unless the item has ended meanwhile.
func (t *teller) follow(f *watched) {
	t.telling.Lock()
	defer t.telling.Unlock()
	t.mu.Lock()
	runs := t.running[f]
	t.mu.Unlock()
	if have := f.meter.Have(); runs && have != f.have {
		f.have = have
		t.tell(Event{Kind: Progress, Item: f.item, Have: have, Size: f.meter.Size()})
	}
}

// done reports the end of an item.
func (t *teller) done(s Saved, err error) {
	if t.tell != nil {
		t.say(Event{Kind: Ended, Item: s.Item, Saved: s, Err: err})
	}
}
