package cluster

import (
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"

	"github.com/seed1ea3422f/fetch/cluster/plan"
	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// The record of a URL, or of a line that is none, fits into a message, however long it is.
func TestRecordFitsIntoAMessage(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	w.begin()
	refused := fmt.Errorf("%w: no", fetchers.ErrProtocol)
	w.Fetcher = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		return nil, fetchers.NewError("fetch", req.URL, refused)
	})
	for _, c := range []string{"a", "\x01", "\"", "\\", "\x80", "<", "%22", "\u202e", "\U000e0041"} {
		for _, before := range []string{"", "http://h.example/", "http://", "ftp://127.0.0.1:1/", "http://h.example/%"} {
			text := before + strings.Repeat(c, (140_000)/len(c))
			o, err := w.fetch(t.Context(), &Item{URL: text})
			if err != nil || len(o.line) > batchBytes/2 {
				t.Errorf("%q after %q: a record of %d bytes, %v", c, before, len(o.line), err)
				continue
			}
			shown := &head{marks: []mark{{hashOf(text), 0}}}
			m := message(t, store.recordSubject(plan.Partition(KeyOf(text))), shown, string(o.line))
			for r, err := range new(checker).records(m) {
				if err != nil || r.Record.Error == nil || r.Record.Error.Text == "" {
					t.Errorf("%q after %q: %v", c, before, err)
				}
			}
		}
	}
}

// The URLs of a job are done, although the records of two of them are as long as a message. No message is empty
// but for the one by which a partition is taken.
func TestLongURLs(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, nethttp.NotFound)
	add(t, store, site.url(0, "/"+strings.Repeat("a", 440_000)), site.url(0, "/"+strings.Repeat("%22", 140_000)), site.url(0, "/short"))
	start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 3 })
	if info, err := store.records.Info(t.Context()); err != nil || info.State.Msgs > plan.Partitions+3 {
		t.Errorf("%d messages of records, %v", info.State.Msgs, err)
	}
	for u, r := range records(t, store) {
		if r.Record.Error == nil {
			t.Errorf("%.60s: %+v", u, r.Record)
		}
	}
}

// A fetch that is interrupted, as by the loss of its partition, is no failure of the sink.
func TestInterruptedFetchBlamesNoSink(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store, _ := serve(t)
	bodies, err := sink.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bodies.Close() })
	w := newWorker(t, store, bodies)
	w.Fetcher = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1}
		res.SetBody(io.NopCloser(readerFunc(func(p []byte) (int, error) { cancel(); return copy(p, "x"), nil })))
		return res, nil
	})
	w.begin()
	if _, err := w.fetch(ctx, &Item{URL: "http://h.example/"}); err != context.Canceled {
		t.Errorf("%T: %v", err, err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
