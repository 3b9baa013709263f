package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/internal/leak"
)

const (
	goroutines = 200
	fetches    = 3                // of each goroutine
	most       = 20 * time.Second // for all of them; two processors take less than half of it under the race detector
	least      = 30               // fetches that succeed, even if the server refuses most connections
	allowed    = 120              // connections, where the server says that there are too many
	seed       = 33
	faulty     = 0.02 // part of the replies
)

// TestCrowd has 200 goroutines fetch by one Fetcher of each protocol, from a server that
// breaks replies at random and limits the connections. A fetch returns its own document, or
// fails with a class of errors. No goroutine and no connection is left.
func TestCrowd(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			h := newHost(p, crowdPlan(p))
			h.crowded = true
			if p.busy != "" {
				h.limit = allowed
			}
			h.start()
			defer h.Close()
			f := h.fetcher(2 * time.Second)
			mark := leak.Now()
			crowd(t, p.want, func(ctx context.Context, name string) (string, error) { return h.fetch(ctx, f, name) })
			closeIdle(f)
			h.checkClosed(t)
			if err := mark.Check(); err != nil {
				t.Error(err)
			}
			t.Logf("%d connections", h.Connections())
		})
	}
	t.Run("prospero", func(t *testing.T) {
		var documents []string
		for g := range goroutines {
			for n := range fetches {
				documents = append(documents, crowdName(g, n))
			}
		}
		server := prosperotest.NewServer(names(documents...), prosperotest.PacketSize(200), prosperotest.Loss(seed, 0.05, 0.1, 0.1))
		defer server.Close()
		f := &prospero.Fetcher{Network: &fetchers.Network{Stall: 2 * time.Second}, FirstWait: 100 * time.Millisecond}
		mark := leak.Now()
		crowd(t, text, func(ctx context.Context, name string) (string, error) {
			return fetchDocument(ctx, f, server.URL+"//"+name)
		})
		if err := mark.Check(); err != nil {
			t.Error(err)
		}
	})
}

// crowdPlan breaks some replies at random, and slows others down.
func crowdPlan(p *protocol) func(*visit, string) fault {
	var mu sync.Mutex
	chance := rand.New(rand.NewPCG(seed, 0))
	return func(_ *visit, step string) fault {
		if !slices.Contains(p.steps, step) {
			return sound
		}
		mu.Lock()
		defer mu.Unlock()
		switch n := chance.Float64(); {
		case n < faulty:
			faults := slices.DeleteFunc(p.faults(step), fault.isLate)
			return faults[chance.IntN(len(faults))]
		case n < 4*faulty:
			return slow
		}
		return sound
	}
}

func crowdName(g, n int) string { return fmt.Sprintf("d%d-%d", g, n) }

// crowd calls fetch for all documents, and compares each with the result of want. A tenth of the
// fetches is cancelled at some time.
func crowd(t *testing.T, want func(name string) string, fetch func(ctx context.Context, name string) (string, error)) {
	t.Helper()
	began := time.Now()
	var all sync.WaitGroup
	var whole, failed, cancelled atomic.Int32
	for g := range goroutines {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(seed, uint64(g+1)))
			for n := range fetches {
				name := crowdName(g, n)
				ctx, cancel := context.WithTimeout(t.Context(), 2*most)
				givesUp := chance.IntN(10) == 0
				if givesUp {
					time.AfterFunc(time.Duration(chance.IntN(20))*time.Millisecond, cancel)
				}
				got, err := fetch(ctx, name)
				switch {
				case err == nil && got != want(name):
					t.Errorf("%s is %q", name, got)
				case err == nil:
					whole.Add(1)
				case givesUp && errors.Is(err, context.Canceled):
					cancelled.Add(1)
				case !classed(err):
					t.Errorf("%s fails without a class: %v", name, err)
				default:
					failed.Add(1)
				}
				cancel()
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	t.Logf("%d whole, %d failed and %d cancelled in %v", whole.Load(), failed.Load(), cancelled.Load(), took)
	if n := whole.Load(); n < least {
		t.Errorf("only %d of %d fetches succeed", n, goroutines*fetches)
	}
	if took > most {
		t.Errorf("it takes %v", took)
	}
}

// classed reports whether a caller can find the class of err by errors.Is or errors.As.
func classed(err error) bool {
	for _, class := range []error{
		fetchers.ErrTemporary, fetchers.ErrProtocol, fetchers.ErrStalled, fetchers.ErrTLS, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, class) {
			return true
		}
	}
	return errors.As(err, new(*fetchers.StatusError))
}
