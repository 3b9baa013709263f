package main

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/url"
)

// events is the file of --events: a line for what happens, when it happens. Its form
// is a promise to scripts, and in docs/events.md.
type events struct {
	name string

	mu     sync.Mutex
	file   *os.File // nil if nobody wants to know
	err    error    // of the first line that could not be written
	last   int      // id that was given
	active map[int]*telling
	stop   chan struct{}
	beat   sync.WaitGroup
}

// A telling is what is told about one URL. A nil one tells nobody.
type telling struct {
	events *events
	id     int
	amount func() (have, size int64) // nil before something comes
}

// An event is a line. Each has the fields of all, and those of its own.
type event struct {
	Event  string       `json:"event"`
	ID     int          `json:"id"`
	Time   string       `json:"time"`
	URL    string       `json:"url,omitempty"`    // of start and skip
	From   string       `json:"from,omitempty"`   // of redirect
	To     string       `json:"to,omitempty"`     // of redirect
	Try    int          `json:"try,omitempty"`    // of retry: which one failed
	Wait   *float64     `json:"wait,omitempty"`   // of retry, in seconds
	Error  *failureJSON `json:"error,omitempty"`  // of retry
	Have   *int64       `json:"have,omitempty"`   // of progress
	Size   *int64       `json:"size,omitempty"`   // of progress, if it is known
	Record *record      `json:"record,omitempty"` // of record
}

// eventEvery is how often there is an event about the progress of each URL.
const eventEvery = time.Second

func (e *events) add(flags *pflag.FlagSet) {
	flags.StringVar(&e.name, "events", "", "write to `FILE` what happens when it happens, a JSON object a line")
}

// open begins the file, which other users may not read.
func (e *events) open(ctx context.Context) error {
	if e.name == "" {
		return nil
	}
	f, err := opened(ctx, func() (*os.File, error) { return download.OpenInPlace(e.name) })
	if err != nil {
		return writeError{err}
	}
	e.file = f
	e.active, e.stop = make(map[int]*telling), make(chan struct{})
	e.beat.Go(e.tick)
	return nil
}

// close ends the file. The error is that of the first line that is missing.
func (e *events) close() error {
	if e.file == nil {
		return nil
	}
	close(e.stop)
	e.beat.Wait()
	if err := e.file.Close(); e.err == nil {
		e.err = err
	}
	if e.err != nil {
		return writeError{e.err}
	}
	return nil
}

// tick tells from time to time how far everything is.
func (e *events) tick() {
	tick := time.NewTicker(eventEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.mu.Lock()
			for id, t := range e.active {
				if t.amount == nil {
					continue
				}
				have, size := t.amount()
				ev := event{Event: "progress", ID: id, Have: &have}
				if size > 0 {
					ev.Size = &size
				}
				e.write(ev)
			}
			e.mu.Unlock()
		case <-e.stop:
			return
		}
	}
}

// write writes a line. e.mu is held.
func (e *events) write(ev event) {
	ev.Time = time.Now().UTC().Format(time.RFC3339Nano)
	line, err := marshal(ev)
	if err == nil {
		_, err = e.file.Write(append(harmless(line), '\n'))
	}
	if e.err == nil {
		e.err = err
	}
}

// begin tells that a URL is begun with, or is not because that is already done.
func (e *events) begin(name string, j job) *telling {
	if e.file == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	t := &telling{events: e, id: e.last}
	if name == "start" {
		e.active[t.id] = t
	}
	e.write(event{Event: name, ID: t.id, URL: j.shown()})
	return t
}

// tell writes an event about the URL.
func (t *telling) tell(ev event) {
	if t == nil {
		return
	}
	t.events.mu.Lock()
	defer t.events.mu.Unlock()
	ev.ID = t.id
	t.events.write(ev)
}

func (t *telling) redirect(from, to *url.URL) {
	t.tell(event{Event: "redirect", From: from.Redacted(), To: to.Redacted()})
}

func (t *telling) retry(try int, wait time.Duration, err error) {
	seconds := wait.Seconds()
	t.tell(event{Event: "retry", Try: try, Wait: &seconds, Error: failureOf(err)})
}

// watch makes amount tell from now on how much there is, and will be.
func (t *telling) watch(amount func() (have, size int64)) {
	if t == nil {
		return
	}
	t.events.mu.Lock()
	defer t.events.mu.Unlock()
	t.amount = amount
}

// end tells what became of the URL.
func (t *telling) end(r *record) {
	if t == nil {
		return
	}
	t.tell(event{Event: "record", Record: r})
	t.events.mu.Lock()
	defer t.events.mu.Unlock()
	delete(t.events.active, t.id)
}
