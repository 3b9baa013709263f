package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"

	"github.com/seed1ea3422f/fetch/cluster/engine"
	"github.com/seed1ea3422f/fetch/cluster/sink"
)

func TestMain(m *testing.M) {
	if play() {
		return
	}
	goleak.VerifyTestMain(m)
}

// serve runs a server of streams for a test, and returns a Store on it.
func serve(t testing.TB) (*Store, *nats.Conn) {
	t.Helper()
	s, err := engine.Start(engine.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	conn := connect(t, s.URL())
	return open(t, conn, "test"), conn
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	closed := make(chan struct{})
	conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); <-closed })
	return conn
}

func open(t testing.TB, conn *nats.Conn, job string) *Store {
	t.Helper()
	store, err := Open(t.Context(), conn, Options{Job: job})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// A web is a server on many addresses of the loopback, which counts what it is asked.
type web struct {
	test   testing.TB
	server *nethttp.Server
	port   int
	hosts  map[int]bool // that have a listener

	mu    sync.Mutex
	asked map[string]int // by host and path
}

// newWeb starts a web, which answers by handler.
func newWeb(t testing.TB, handler func(w nethttp.ResponseWriter, r *nethttp.Request)) *web {
	t.Helper()
	site := &web{test: t, asked: make(map[string]int), hosts: make(map[int]bool)}
	site.server = &nethttp.Server{Handler: nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		site.mu.Lock()
		site.asked[r.Host+r.URL.Path]++
		site.mu.Unlock()
		handler(w, r)
	})}
	t.Cleanup(func() { site.server.Close() })
	site.url(0, "")
	return site
}

// url returns the URL of a path on one of the hosts, which has a listener from then on.
func (s *web) url(host int, path string) string {
	ip := fmt.Sprintf("127.0.%d.%d", host/250, host%250+1)
	if !s.hosts[host] {
		l, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", ip, s.port))
		if err != nil {
			s.test.Fatal(err)
		}
		s.hosts[host] = true
		s.port = l.Addr().(*net.TCPAddr).Port
		go s.server.Serve(l)
	}
	return fmt.Sprintf("http://%s:%d%s", ip, s.port, path)
}

// total returns how often the web was asked.
func (s *web) total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.asked {
		n += times
	}
	return n
}

// A memorySink keeps the sums of bodies in memory. It fails while fail is set.
type memorySink struct {
	mu     sync.Mutex
	bodies map[[32]byte]int
	fail   error
}

func (m *memorySink) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fail
}

func (m *memorySink) Create(context.Context) (sink.Body, error) {
	return &memoryBody{sink: m}, m.failure()
}

func (m *memorySink) Sync(context.Context) error { return m.failure() }

type memoryBody struct {
	sink *memorySink
	data []byte
}

func (b *memoryBody) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	return len(p), nil
}

func (b *memoryBody) Discard() error { return nil }

func (b *memoryBody) Commit() (sink.Object, error) {
	o := sink.Object{SHA256: sha256.Sum256(b.data), Size: int64(len(b.data))}
	o.Name = hex.EncodeToString(o.SHA256[:])
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	if b.sink.bodies == nil {
		b.sink.bodies = make(map[[32]byte]int)
	}
	b.sink.bodies[o.SHA256]++
	return o, b.sink.fail
}

// newWorker returns a worker for a test.
func newWorker(t testing.TB, store *Store, bodies sink.Sink) *Worker {
	registry := fetch.Protocols(nil)
	client := &fetchers.Client{Fetcher: registry}
	t.Cleanup(client.CloseIdle)
	return &Worker{Store: store, Fetcher: client, Sink: bodies, Dir: t.TempDir(), Flush: 50 * time.Millisecond, Say: func(text string) { t.Log("worker:", text) }}
}

// start runs a worker until the function that it returns is called.
func start(t testing.TB, w *Worker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := w.Run(ctx); err != nil {
			t.Errorf("worker: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(stop)
	return stop
}

// add adds URLs to a job.
func add(t testing.TB, s *Store, urls ...string) {
	t.Helper()
	a := NewAdder(s)
	for _, u := range urls {
		if err := a.Add(t.Context(), Item{URL: u}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// waitFor waits until a Status is as a test wants it.
func waitFor(t testing.TB, s *Store, within time.Duration, wanted func(Status) bool) Status {
	t.Helper()
	var last Status
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var err error
		if last, err = s.Status(t.Context()); err != nil {
			t.Log(err)
			continue
		}
		if wanted(last) {
			return last
		}
	}
	t.Fatalf("after %v the status is %+v", within, last)
	return last
}

// records returns the final records of a job by their URL. A URL with several is an error.
func records(t testing.TB, s *Store) map[string]Recorded {
	t.Helper()
	all := make(map[string]Recorded)
	for r, err := range s.Records(t.Context(), Records{Final: true}) {
		if err != nil {
			t.Error(err)
			continue
		}
		if _, twice := all[r.Record.URL]; twice {
			t.Errorf("%s has two final records", r.Record.URL)
		}
		all[r.Record.URL] = r
	}
	return all
}

// list returns the URLs of a web, many of each host.
func list(site *web, count, hosts int) (urls []string) {
	for i := range count {
		urls = append(urls, site.url(i%hosts, fmt.Sprint("/", i)))
	}
	return urls
}

// checkAll reports URLs without exactly one record that is no failure.
func checkAll(t *testing.T, s *Store, urls []string) {
	t.Helper()
	all := records(t, s)
	for _, u := range urls {
		if r := all[u].Record; r == nil || r.Error != nil {
			t.Fatalf("%s: %+v", u, r)
		}
	}
	if len(all) != len(urls) {
		t.Errorf("%d records, want %d", len(all), len(urls))
	}
}

func hello(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, "hello from "+r.URL.Path) }

var errFull = errors.New("no space left on device")
