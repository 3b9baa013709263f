package cluster

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	nethttp "net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"crypto/sha256"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var long = flag.Bool("long", false, "kill workers 200 times and the server 20 times over 1,000,000 URLs, and not 20 times and twice over 50,000")

// A rate takes the time of each request to a host.
type rate struct {
	mu    sync.Mutex
	times map[string][]time.Time
}

func (r *rate) note(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.times == nil {
		r.times = make(map[string][]time.Time)
	}
	r.times[host] = append(r.times[host], time.Now())
}

// check reports hosts that were asked sooner than a time after the request before.
func (r *rate) check(t *testing.T, least time.Duration) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	bad, total := 0, 0
	for host, times := range r.times {
		total += len(times)
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap < least {
				if bad++; bad < 5 {
					t.Errorf("%s was asked %v after the request before, and the least is %v", host, gap, least)
				}
			}
		}
	}
	t.Logf("%d requests at %d hosts, %d too soon", total, len(r.times), bad)
}

// freeAddress returns an address of the loopback that nothing listens to.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// connectLate returns a connection that waits for its server.
func connectLate(t testing.TB, url string) *nats.Conn {
	t.Helper()
	closed := make(chan struct{})
	conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); <-closed })
	return conn
}

// Workers and the server are killed at random, over the whole run. In the end each URL has exactly one record,
// each record has its body, and no host was asked faster than allowed.
func TestKilled(t *testing.T) {
	urls, kills, serverKills, hosts := 50_000, 20, 2, 20
	if *long {
		urls, kills, serverKills, hosts = 1_000_000, 200, 20, 240
	}
	const least = 5 * time.Millisecond
	var log rate
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		log.note(r.Host)
		io.WriteString(w, r.URL.Path[len(r.URL.Path)-3:]) // many URLs have the same body
	})
	dir := t.TempDir()
	address := freeAddress(t)
	server := launch(t, "server", filepath.Join(dir, "data"), address, "", "", "")
	store := open(t, connectLate(t, "nats://"+address), "test")
	a := NewAdder(store)
	for i := range urls {
		if err := a.Add(t.Context(), Item{URL: site.url(i%hosts, fmt.Sprintf("/%09d", i/hosts))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var workers []*program
	for range 10 { // the hosts of one that is killed wait until it is known to be dead
		workers = append(workers, launch(t, "worker", "nats://"+address, filepath.Join(dir, "bodies"), filepath.Join(dir, "state"), least.String()))
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for n := range kills {
		next := int64((float64(n) + r.Float64()) * float64(urls) / float64(kills)) // records, at which the next one is killed
		waitFor(t, store, 5*time.Minute, func(s Status) bool { return s.URLs >= next })
		victim := workers[r.IntN(len(workers))]
		if n*serverKills/kills != (n+1)*serverKills/kills {
			server.kill()
			server.start()
		}
		victim.kill()
		victim.start()
	}
	last := time.Now()
	status := waitFor(t, store, 10*time.Minute, Status.Done)
	t.Logf("%d kills of workers and %d of the server in %v, and %v after them: %d URLs, failures %v",
		kills, serverKills, last.Sub(began).Round(time.Second), time.Since(last).Round(time.Second), status.URLs, status.Failures)
	checkMarks(t, store)
	count, failed := 0, t.Failed()
	seen := make(map[hash]bool, urls)
	for r, err := range store.Records(t.Context(), Records{}) {
		if err != nil {
			t.Fatal(err)
		}
		count++
		h := hashOf(r.Record.URL)
		if seen[h] {
			t.Errorf("%s has two records", r.Record.URL)
		}
		seen[h] = true
		if r.Record.Error != nil {
			t.Errorf("%s: %s", r.Record.URL, r.Record.Error.Text)
			continue
		}
		want := r.Record.URL[len(r.Record.URL)-3:]
		checkBody(t, filepath.Join(dir, "bodies"), *r.Record.Output, *r.Record.SHA256, want)
		if count%1000 == 0 && t.Failed() != failed {
			break // there may be as many errors as records
		}
	}
	if count != urls || status.URLs != int64(urls) {
		t.Errorf("%d records and %d in the status, want %d", count, status.URLs, urls)
	}
	log.check(t, least)
	t.Logf("URLs were asked for %d times in vain", site.total()-urls)
}

// checkMarks reports URLs that have two records, and which messages have them.
func checkMarks(t *testing.T, store *Store) {
	t.Helper()
	type place struct{ message, token, batch uint64 }
	places, twice := make(map[mark]place), 0
	all := jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy, FilterSubject: store.job + ".record.*", HeadersOnly: true}
	err := store.each(t.Context(), all, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		h, err := decodeHead(m.Headers())
		for _, mark := range h.marks {
			at := place{meta.Sequence.Stream, h.token, h.batch}
			if was, ok := places[mark]; ok {
				if twice++; twice < 10 {
					t.Errorf("two records of a URL in %s: %+v and %+v", m.Subject(), was, at)
				}
			}
			places[mark] = at
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// checkBody compares a body of the sink with what it should be.
func checkBody(t *testing.T, dir, name, sum, want string) {
	t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	body, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	got := sha256.Sum256(body)
	if !bytes.Equal(body, []byte(want)) || hex.EncodeToString(got[:]) != sum {
		t.Errorf("%s is %q, want %q", name, body, want)
	}
}
