package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A fakeBucket is a bucket in memory, whose watches can be ended and refused.
type fakeBucket struct {
	jetstream.KeyValue
	mu       sync.Mutex
	revision uint64
	values   map[string]fakeEntry
	watches  map[*fakeWatch]bool
	refuse   bool
}

type fakeEntry struct {
	jetstream.KeyValueEntry
	key      string
	value    []byte
	revision uint64
}

func (e fakeEntry) Key() string                     { return e.key }
func (e fakeEntry) Value() []byte                   { return e.value }
func (e fakeEntry) Revision() uint64                { return e.revision }
func (e fakeEntry) Operation() jetstream.KeyValueOp { return jetstream.KeyValuePut }

type fakeWatch struct {
	bucket  *fakeBucket
	updates chan jetstream.KeyValueEntry
}

func (w *fakeWatch) Updates() <-chan jetstream.KeyValueEntry { return w.updates }
func (w *fakeWatch) Stop() error {
	w.bucket.mu.Lock()
	defer w.bucket.mu.Unlock()
	if w.bucket.watches[w] {
		delete(w.bucket.watches, w)
		close(w.updates)
	}
	return nil
}
func (w *fakeWatch) Error() <-chan error { return nil }

func newFakeBucket() *fakeBucket {
	return &fakeBucket{values: make(map[string]fakeEntry), watches: make(map[*fakeWatch]bool)}
}

func (b *fakeBucket) Put(_ context.Context, key string, value []byte) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.revision++
	e := fakeEntry{key: key, value: value, revision: b.revision}
	b.values[key] = e
	for w := range b.watches {
		w.updates <- e
	}
	return b.revision, nil
}

func (b *fakeBucket) Update(ctx context.Context, key string, value []byte, last uint64) (uint64, error) {
	b.mu.Lock()
	is := b.values[key].revision
	b.mu.Unlock()
	if is != last {
		return 0, jetstream.ErrKeyExists
	}
	return b.Put(ctx, key, value)
}

func (b *fakeBucket) Get(_ context.Context, key string) (jetstream.KeyValueEntry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.values[key]; ok {
		return e, nil
	}
	return nil, jetstream.ErrKeyNotFound
}

func (b *fakeBucket) Purge(context.Context, string, ...jetstream.KVDeleteOpt) error { return nil }

func (b *fakeBucket) WatchFiltered(context.Context, []string, ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse {
		return nil, errors.New("no leader")
	}
	w := &fakeWatch{b, make(chan jetstream.KeyValueEntry, 1000)}
	for _, e := range b.values {
		w.updates <- e
	}
	w.updates <- nil
	b.watches[w] = true
	return w, nil
}

// end ends all watches, and refuses others.
func (b *fakeBucket) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = true
	for w := range b.watches {
		delete(b.watches, w)
		close(w.updates)
	}
}

// The watch of a worker ends, and begins again after 3 seconds. Meanwhile the owner of all partitions has written two
// beats, which the worker has not seen. The partitions are taken when the lease of the owner has ended, and not sooner.
func TestNoPartitionIsTakenTooSoonAfterANewWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket := newFakeBucket()
		began := time.Now()
		at := func(seconds float64) {
			time.Sleep(time.Until(began.Add(time.Duration(seconds * float64(time.Second)))))
		}
		var table plan.Table
		table.Take("owner", []string{"owner"})
		text, _ := json.Marshal(table)
		bucket.Put(t.Context(), keyOwners, text)
		var owned time.Time // when the last beat of the owner was begun
		beat := func() { owned = time.Now(); bucket.Put(t.Context(), beatPrefix+"owner", []byte("{}")) }
		beat()
		var taken time.Time
		l := &lease{
			store: &Store{state: bucket, flights: bucket}, id: "new",
			taken: func(context.Context, []plan.Taking) { taken = time.Now() },
			lost:  func([]int) {}, stop: func([]int) {}, beat: func() Beat { return Beat{} }, crawl: func(Crawl, uint64) error { return nil },
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			l.run(ctx, func(err error) {
				if !strings.Contains(err.Error(), "no leader") {
					t.Error(err)
				}
			})
		})
		for _, s := range []float64{2.15, 4.15, 6.15, 8.15} {
			at(s)
			beat()
		}
		at(10.05)
		bucket.end() // the server has no leader for consumers
		for _, s := range []float64{10.15, 12.15} {
			at(s)
			beat()
		}
		at(13)
		bucket.mu.Lock()
		bucket.refuse = false
		bucket.mu.Unlock()
		at(14) // the owner has no connection to the server any more
		at(40)
		cancel()
		all.Wait()
		if taken.Before(owned.Add(heldFor)) || taken.IsZero() {
			t.Errorf("the partitions are taken at %v, and the lease of their owner ends at %v", taken.Sub(began), owned.Add(heldFor).Sub(began))
		}
	})
}

// A worker whose watch cannot begin writes beats, and takes nothing.
func TestWatchThatBeginsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bucket := newFakeBucket()
		bucket.refuse = true
		taken := 0
		l := &lease{
			store: &Store{state: bucket, flights: bucket}, id: "new",
			taken: func(_ context.Context, all []plan.Taking) { taken += len(all) },
			lost:  func([]int) {}, stop: func([]int) {}, beat: func() Beat { return Beat{} }, crawl: func(Crawl, uint64) error { return nil },
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { l.run(ctx, func(error) {}) })
		time.Sleep(time.Minute)
		synctest.Wait()
		if bucket.revision < 29 || taken > 0 {
			t.Errorf("%d beats in a minute, %d partitions", bucket.revision, taken)
		}
		bucket.mu.Lock()
		bucket.refuse = false
		bucket.mu.Unlock()
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if taken != plan.Partitions {
			t.Errorf("%d partitions, want %d", taken, plan.Partitions)
		}
		cancel()
		all.Wait()
	})
}

// A partition is lost and taken again while the worker gives it back: it is kept, since the worker works on it.
func TestPartitionThatWasTakenAgainIsKept(t *testing.T) {
	store, _ := serve(t)
	l := &lease{store: store, id: "own", holding: map[int]uint64{3: 5, 9: 8}}
	l.table.Owners[3], l.table.Owners[9] = plan.Owner{Worker: "own", Token: 5}, plan.Owner{Worker: "own", Token: 8}
	var err error
	if l.revision, _, err = store.swap(t.Context(), keyOwners, l.table, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.give(t.Context(), map[int]uint64{3: 5, 9: 7}); err != nil {
		t.Fatal(err)
	}
	if l.table.Owners[3].Worker != "" || l.table.Owners[9] != (plan.Owner{Worker: "own", Token: 8}) || len(l.holding) != 1 || l.holding[9] != 8 {
		t.Errorf("owners %+v and %+v, holding %v", l.table.Owners[3], l.table.Owners[9], l.holding)
	}
}
