package cluster

import (
	"context"
	"sync"
	"testing"
	"time"
)

// A Sync fails once: the system tells a failed write once, and the next Sync says nothing of it. The bodies
// before it are fetched again, also those of which the fetch ends after the failure.
func TestBodiesOfAFailedSyncAreFetchedAgain(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	bodies := &failsOnce{memorySink: new(memorySink)}
	urls := list(site, 200, 20)
	add(t, store, urls...)
	start(t, newWorker(t, store, bodies))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == int64(len(urls)) })
	checkAll(t, store, urls)
	bodies.mu.Lock()
	defer bodies.mu.Unlock()
	lost := 0
	for sum := range bodies.before {
		if bodies.bodies[sum] < 2 {
			lost++
		}
	}
	if lost > 0 || len(bodies.before) == 0 {
		t.Errorf("%d of %d bodies whose Sync has failed were not written again", lost, len(bodies.before))
	}
}

// A failsOnce is a sink whose first Sync fails.
type failsOnce struct {
	*memorySink
	once   sync.Once
	before map[[32]byte]bool // the bodies that were there when the Sync failed
}

func (f *failsOnce) Sync(context.Context) (err error) {
	f.once.Do(func() {
		time.Sleep(50 * time.Millisecond) // bodies come meanwhile
		f.mu.Lock()
		defer f.mu.Unlock()
		f.before = make(map[[32]byte]bool)
		for sum := range f.bodies {
			f.before[sum] = true
		}
		err = errFull
	})
	return err
}
