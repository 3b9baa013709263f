package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A flight is the URLs that a worker is fetching. They are named in the store before they are fetched: if the
// worker dies, the next owners of its partitions know which URLs may have killed it. The names of all URLs are
// one value, in the memory of the server, and one write names all the URLs that are to begin.
type flight struct {
	store *Store
	id    string

	mu      sync.Mutex
	marks   map[*task]mark
	changed bool
	next    chan struct{} // closed when the names are written that are not yet
	wake    chan struct{}
}

// The bounds of a flight.
const (
	maxNamed    = 50_000          // URLs
	nameWithin  = 2 * time.Second // a write of names may take; then the URLs are fetched without
	unnameEvery = 250 * time.Millisecond
)

func newFlight(s *Store, id string) *flight {
	return &flight{store: s, id: id, marks: make(map[*task]mark), next: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// begin names a URL, and returns when its name is written or cannot be.
func (f *flight) begin(ctx context.Context, t *task) error {
	f.mu.Lock()
	f.marks[t] = mark{t.hash, t.generation}
	f.changed = true
	next := f.next
	f.mu.Unlock()
	wake(f.wake)
	select {
	case <-next:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end takes the name of a URL back.
func (f *flight) end(t *task) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.marks, t)
	f.changed = true
}

// run writes names until ctx ends.
func (f *flight) run(ctx context.Context, say func(error)) {
	ticks := time.NewTicker(unnameEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-f.wake:
		}
		f.mu.Lock()
		changed, written := f.changed, f.next
		f.changed, f.next = false, make(chan struct{})
		names := f.encode()
		f.mu.Unlock()
		if changed {
			if err := f.write(ctx, names); err != nil && ctx.Err() == nil {
				say(fmt.Errorf("names of URLs: %w", err))
			}
		}
		close(written)
	}
}

// write writes the names. A server that was started again has forgotten the bucket.
func (f *flight) write(ctx context.Context, names []byte) error {
	ctx, cancel := context.WithTimeout(ctx, nameWithin)
	defer cancel()
	_, err := f.store.flights.Put(ctx, f.id, names)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, err := f.store.makeFlights(ctx, f.store.replicas); err != nil {
		return err
	}
	_, err = f.store.flights.Put(ctx, f.id, names)
	return err
}

// encode returns the names: a partition and a mark for each URL.
func (f *flight) encode() []byte {
	text := make([]byte, 0, len(f.marks)*nameSize)
	for t, m := range f.marks {
		if len(text) == maxNamed*nameSize {
			break
		}
		text = append(append(append(text, byte(t.page.holding.partition)), m.hash[:]...), m.generation)
	}
	return text
}

const nameSize = 1 + markSize

// leave removes the names.
func (f *flight) leave(ctx context.Context) error { return f.store.flights.Purge(ctx, f.id) }

// flying returns the names of the URLs of a partition that a worker was fetching when it wrote them last.
func (s *Store) flying(ctx context.Context, worker string, partition int) (names []string, err error) {
	e, err := s.flights.Get(ctx, worker)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrNoStreamResponse):
		return nil, nil
	case err != nil:
		return nil, err
	}
	for text := e.Value(); len(text) >= nameSize; text = text[nameSize:] {
		if int(text[0]) == partition {
			names = append(names, mark{hash(text[1:17]), text[17]}.name())
		}
	}
	return names, nil
}

// makeFlights finds or makes the bucket of flights.
func (s *Store) makeFlights(ctx context.Context, replicas int) (jetstream.KeyValue, error) {
	return s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: s.job + "-flights", Replicas: replicas, Storage: jetstream.MemoryStorage})
}

// suspect counts the death of the owner before, and reads which URLs of the partition may have killed owners.
func (h *holding) suspect(ctx context.Context) error {
	s := h.worker.Store
	var known plan.Suspects
	_, err := s.get(ctx, keySuspects(h.partition), &known)
	switch {
	case errors.Is(err, errValue): // no reason to leave the partition alone
		h.worker.trouble(fmt.Errorf("deaths of workers are counted anew: %w", err))
		known = plan.Suspects{}
	case err != nil:
		return err
	}
	h.suspects = known.Deaths
	if h.dead == "" {
		return nil
	}
	names, err := s.flying(ctx, h.dead, h.partition)
	if err != nil {
		return err
	}
	if next := known.Died(h.token, names); next.Token != known.Token {
		if err := s.put(ctx, keySuspects(h.partition), next); err != nil {
			return err
		}
		known = next
	}
	h.suspects = known.Deaths
	return nil
}
