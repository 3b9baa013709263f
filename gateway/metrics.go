package gateway

import (
	"context"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Metrics are the counts of a Handler: how many fetches there were and how they ended, how long
// servers took, and how much was sent to clients. The zero Metrics is ready for use, by many
// goroutines at once. WriteTo has them as text for Prometheus.
//
// Schemes that package url does not describe are counted as "other". No host and no URL is part of
// the text, and so its size is bounded.
type Metrics struct {
	running  atomic.Int64
	sent     atomic.Int64
	busy     atomic.Int64 // requests that were refused because too many waited
	waiting  atomic.Int64
	tunnels  atomic.Int64
	tunneled atomic.Int64

	mu      sync.Mutex
	ended   map[outcome]int64
	answers map[outcome]*histogram
}

// An outcome is how fetches of a scheme ended.
type outcome struct{ scheme, class string }

// success is the class of a fetch that did not fail.
const success = "ok"

// latencies are the upper bounds of the buckets of a histogram, in seconds.
var latencies = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// A histogram counts durations by buckets.
type histogram struct {
	buckets [len(latencies) + 1]int64 // the last one is for all that took longer
	sum     float64                   // seconds
}

// schemeLabel returns the label of a scheme.
func schemeLabel(scheme string) string {
	if url.Describe(scheme) == "" {
		return "other"
	}
	return scheme
}

// classLabel returns the label of an error.
func classLabel(err error) string {
	class, _ := record.Classify(err)
	if class == "" {
		return success
	}
	return string(class)
}

// fetch has f fetch req, and counts it. A nil Metrics counts nothing.
func (m *Metrics) fetch(ctx context.Context, f fetchers.Fetcher, req *fetchers.Request) (*fetchers.Resource, error) {
	if m == nil {
		return f.Fetch(ctx, req)
	}
	began := time.Now()
	m.running.Add(1)
	scheme := schemeLabel(req.URL.Scheme)
	res, err := f.Fetch(ctx, req)
	m.answered(outcome{scheme, classLabel(err)}, time.Since(began))
	if err != nil {
		m.running.Add(-1)
		m.end(scheme, err)
		return nil, err
	}
	res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
		return &counted{ReadCloser: src, end: func(err error) {
			m.running.Add(-1)
			m.end(scheme, err)
		}}
	})
	return res, nil
}

// answered counts how long a server took until there was a resource or a failure.
func (m *Metrics) answered(o outcome, took time.Duration) {
	seconds := took.Seconds()
	i, _ := slices.BinarySearch(latencies[:], seconds)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil {
		m.answers = make(map[outcome]*histogram)
	}
	h := m.answers[o]
	if h == nil {
		h = new(histogram)
		m.answers[o] = h
	}
	h.buckets[i]++
	h.sum += seconds
}

// blocked counts a fetch that the gateway has not begun.
func (m *Metrics) blocked(scheme string, err error) {
	if m != nil {
		m.end(schemeLabel(scheme), err)
	}
}

// end counts a fetch that has ended.
func (m *Metrics) end(scheme string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended == nil {
		m.ended = make(map[outcome]int64)
	}
	m.ended[outcome{scheme, classLabel(err)}]++
}

// A counted is the source of a Body that tells how it ended.
type counted struct {
	io.ReadCloser
	failed error // of Read
	once   sync.Once
	end    func(err error)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		c.failed = err
	}
	return n, err
}

// Lend calls that of the source, if it is a Lender.
func (c *counted) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if l, ok := c.ReadCloser.(fetchers.Lender); ok {
		return l.Lend(most, use)
	}
	return 0
}

func (c *counted) Close() error {
	err := c.ReadCloser.Close()
	c.once.Do(func() { c.end(c.failed) })
	return err
}

// A counter is a ResponseWriter that counts the bytes of the body.
type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

// Unwrap is for http.ResponseController.
func (c counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// metrics answers with the Metrics. Pages of other sites cannot read them.
func (x *exchange) metrics() {
	if problem := x.crossing("/metrics"); problem != nil {
		x.refuse(problem)
		return
	}
	h := x.w.Header()
	h.Set("Content-Type", expositionType)
	h.Set("Cache-Control", "no-store")
	if x.r.Method == http.MethodHead {
		return
	}
	x.Metrics.WriteTo(x.paced()) // an error is one of a client that is gone
}
