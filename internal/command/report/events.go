package report

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// events is the file of --events: a line for each event, written when it happens. Its form
// is in docs/events.md. A nil *events writes nothing.
type events struct {
	mu     sync.Mutex
	file   *os.File
	err    error // of the first line that could not be written
	last   int   // the last ID of a URL
	active map[int]*urlEvents

	stop  chan struct{}
	beat  sync.WaitGroup
	ended sync.Once
}

// eventEvery is the time between two events about the progress of a URL.
const eventEvery = time.Second

// openEvents begins the file, which other users may not read. Without a name it returns
// nil.
func openEvents(ctx context.Context, name string) (*events, error) {
	if name == "" {
		return nil, nil
	}
	f, err := pipe.Open(ctx, func() (*os.File, error) { return download.OpenInPlace(name) })
	if err != nil {
		return nil, record.OutputError{Err: err}
	}
	e := &events{file: f, active: make(map[int]*urlEvents), stop: make(chan struct{})}
	e.beat.Go(e.tick)
	return e, nil
}

// close ends the file. The error is that of the first line that is missing.
func (e *events) close() error {
	if e == nil {
		return nil
	}
	e.ended.Do(func() {
		close(e.stop)
		e.beat.Wait()
		if err := e.file.Close(); e.err == nil {
			e.err = err
		}
	})
	if e.err != nil {
		return record.OutputError{Err: e.err}
	}
	return nil
}

// tick writes the progress of each URL from time to time.
func (e *events) tick() {
	tick := time.NewTicker(eventEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.progress()
		case <-e.stop:
			return
		}
	}
}

// progress writes the progress of each URL.
func (e *events) progress() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, u := range e.active {
		if u.amount == nil {
			continue
		}
		have, size := u.amount()
		ev := record.Event{Name: record.EventProgress, ID: id, Have: &have}
		if size > 0 {
			ev.Size = &size
		}
		e.write(ev)
	}
}

// write writes a line. The caller holds e.mu.
func (e *events) write(ev record.Event) {
	ev.Time = record.Stamp(time.Now())
	line, err := record.Marshal(ev)
	if err == nil {
		_, err = e.file.Write(append(line, '\n'))
	}
	if e.err == nil {
		e.err = err
	}
}

// begin writes the first event about a URL, which is EventStart or EventSkip.
func (e *events) begin(name string, j job.Job) *urlEvents {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	u := &urlEvents{events: e, id: e.last}
	if name == record.EventStart {
		e.active[u.id] = u
	}
	e.write(record.Event{Name: name, ID: u.id, URL: j.Shown()})
	return u
}

// urlEvents writes the events about one URL. A nil *urlEvents writes nothing.
type urlEvents struct {
	events *events
	id     int
	amount func() (have, size int64) // nil before something comes
}

// tell writes an event about the URL.
func (u *urlEvents) tell(ev record.Event) {
	if u == nil {
		return
	}
	u.events.mu.Lock()
	defer u.events.mu.Unlock()
	ev.ID = u.id
	u.events.write(ev)
}

func (u *urlEvents) redirect(from, to *url.URL) {
	u.tell(record.Event{Name: record.EventRedirect, From: from.Redacted(), To: to.Redacted()})
}

func (u *urlEvents) retry(try int, wait time.Duration, err error) {
	seconds := wait.Seconds()
	u.tell(record.Event{Name: record.EventRetry, Try: try, Wait: &seconds, Error: record.FailureOf(err)})
}

// watch sets the function for the events about progress.
func (u *urlEvents) watch(amount func() (have, size int64)) {
	if u == nil {
		return
	}
	u.events.mu.Lock()
	defer u.events.mu.Unlock()
	u.amount = amount
}

// end writes the last event about the URL.
func (u *urlEvents) end(r *record.Record) {
	if u == nil {
		return
	}
	u.tell(record.Event{Name: record.EventRecord, Record: r})
	u.events.mu.Lock()
	defer u.events.mu.Unlock()
	delete(u.events.active, u.id)
}
