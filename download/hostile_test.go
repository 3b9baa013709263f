package download_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestHostileServer downloads files from servers with faults, which are drawn by a seed, and
// interrupts some of the downloads. A Save without an error leaves a whole file of one version.
// A Save with an error leaves no file. Once the faults have ended, a Save succeeds.
func TestHostileServer(t *testing.T) {
	seeds := 120
	if *thorough {
		seeds = 1500
	}
	slots := make(chan bool, 20) // most of the time the tests wait
	var all sync.WaitGroup
	var total tally
	for seed := range seeds {
		slots <- true
		all.Go(func() {
			defer func() { <-slots }()
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				newCampaign(t, uint64(seed)).run(t, &total)
			})
		})
	}
	all.Wait()
	t.Logf("%d downloads, %d resumed; %d errors; requests of one download: %d at most", total.whole.Load(), total.resumed.Load(), total.errors.Load(), total.requests.Load())
	if total.resumed.Load() == 0 || total.errors.Load() == 0 {
		t.Error("no server was hostile")
	}
}

// A tally counts the results of all campaigns.
type tally struct{ whole, resumed, errors, requests atomic.Int64 }

// A campaign is one file downloaded from a hostile server.
type campaign struct {
	server      *hostile
	saver       *download.Saver
	connections *counter
	to          download.Target
	draw        *rand.Rand
	hostile     int  // number of attempts before the faults end
	interrupts  bool // some of these are interrupted
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	draw := rand.New(rand.NewPCG(seed, 1))
	c := &campaign{draw: draw, server: newHostile(t, seed, 6<<20+draw.IntN(5<<20)), hostile: 1 + draw.IntN(4), interrupts: draw.IntN(3) == 0}
	c.to.Name = filepath.Join(t.TempDir(), "f")
	if draw.IntN(4) == 0 {
		c.to.Sum = sumOf(t, c.server.version)
	}
	f := web(t)
	f.Network = &fetchers.Network{Stall: 700 * time.Millisecond}
	c.connections = &counter{Fetcher: f}
	c.saver = &download.Saver{Fetcher: c.connections}
	if draw.IntN(2) == 0 {
		c.saver.Fetcher = &fetchers.Client{Fetcher: c.connections, Retry: fetchers.Retry{Max: 1 + draw.IntN(3), Delay: 20 * time.Millisecond}}
	}
	if draw.IntN(4) == 0 {
		c.saver.Segments = 1 + draw.IntN(16)
	}
	return c
}

// run tries to save the file until it succeeds.
func (c *campaign) run(t *testing.T, total *tally) {
	defer func() {
		if t.Failed() {
			t.Logf("%v, %d segments, sum %q", c.server, c.saver.Segments, c.to.Sum)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for n := range c.hostile {
		if c.save(t, ctx, c.interrupts && n < 2, total) || t.Failed() {
			return
		}
	}
	c.server.reform()
	c.saver.Fetcher = web(t) // without a timeout that a busy machine would exceed
	if !c.save(t, ctx, false, total) {
		t.Error("it fails from a good server")
	}
}

// save tries to save the file, and reports whether it succeeded.
func (c *campaign) save(t *testing.T, ctx context.Context, interrupted bool, total *tally) bool {
	own, cancel := ctx, func() {}
	if interrupted {
		own, cancel = context.WithTimeout(ctx, time.Duration(30+c.draw.IntN(1000))*time.Millisecond)
	}
	defer cancel()
	before := c.server.requests()
	saved, err := c.saver.Save(own, request(t, c.server.URL), c.to)
	if ctx.Err() != nil {
		t.Fatalf("it does not end: %v", err)
	}
	requests := int64(c.server.requests() - before)
	for most := total.requests.Load(); requests > most && !total.requests.CompareAndSwap(most, requests); most = total.requests.Load() {
	}
	c.wantBounds(t, requests)
	if err != nil {
		total.errors.Add(1)
		wantNone(t, c.to.Name)
		return false
	}
	total.whole.Add(1)
	if saved.Resumed > 0 {
		total.resumed.Add(1)
	}
	c.wantWhole(t, saved)
	return true
}

// wantBounds fails if there were too many concurrent connections, or too many requests.
func (c *campaign) wantBounds(t *testing.T, requests int64) {
	t.Helper()
	bound := int64(16)
	if c.saver.Segments > 0 {
		bound = int64(c.saver.Segments)
	}
	if most := c.connections.most.Load(); most > bound {
		t.Errorf("%d connections at the same time, want %d at most", most, bound)
	}
	if requests > 300 {
		t.Errorf("%d requests", requests)
	}
}

// wantWhole fails unless the file is the version of the saved ETag.
func (c *campaign) wantWhole(t *testing.T, saved *download.Saved) {
	t.Helper()
	want := c.server.version
	if saved.Validator.ETag == c.server.next.etag {
		want = c.server.next
	}
	if c.to.Sum != (download.Sum{}) {
		want = c.server.version
	}
	got, err := os.ReadFile(c.to.Name)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want.content) {
		wantAlone(t, c.to.Name)
		return
	}
	from, to := 0, min(len(got), len(want.content))
	for from < to && got[from] == want.content[from] {
		from++
	}
	for to > from && got[to-1] == want.content[to-1] {
		to--
	}
	t.Errorf("without an error, the file has %d bytes of %d, of which %d to %d are wrong", len(got), len(want.content), from, to)
}

// A counter counts the Resources that are open or requested at the same time.
type counter struct {
	fetchers.Fetcher
	open, most atomic.Int64
}

func (c *counter) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	n := c.open.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	res, err := c.Fetcher.Fetch(ctx, req)
	if err != nil {
		c.open.Add(-1)
		return nil, err
	}
	res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
		return lending{&closing{ReadCloser: src, closed: func() { c.open.Add(-1) }}}
	})
	return res, nil
}

// A lending body is a closing body with the Lend method of its source.
type lending struct{ *closing }

func (l lending) Lend(n int64, take func(*os.File, int64) int64) int64 {
	if lender, ok := l.ReadCloser.(interface {
		Lend(int64, func(*os.File, int64) int64) int64
	}); ok {
		return lender.Lend(n, take)
	}
	return 0
}
