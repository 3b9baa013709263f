package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// A busy is a Handler whose fetches last until their host is released.
type busy struct {
	*gateway.Handler
	begun   chan string // hosts of fetches that have begun
	release chan struct{}
	answers chan int // statuses
}

func newBusy(fetches, perHost, waiting int) *busy {
	b := &busy{begun: make(chan string, 100), release: make(chan struct{}), answers: make(chan int, 100)}
	b.Handler = handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		b.begun <- req.URL.Host
		<-b.release
		return resource(req.URL, fetchers.Document, "text/plain", "x"), nil
	})
	b.MaxFetches, b.MaxPerHost, b.MaxWaiting, b.Metrics = fetches, perHost, waiting, new(gateway.Metrics)
	return b
}

// ask sends a request for a document of host, which answers tells of.
func (b *busy) ask(ctx context.Context, host string) {
	go func() {
		defer func() {
			if recover() != nil {
				b.answers <- 0 // the client has gone
			}
		}()
		r := httptest.NewRequestWithContext(ctx, "GET", "/fetch/ftp://"+host+"/x", nil)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		b.answers <- w.Code
	}()
}

// await waits until so many requests wait.
func (b *busy) await(t *testing.T, waiting int) {
	t.Helper()
	want := fmt.Sprintf("fetch_gateway_waiting %d\n", waiting)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		text := bodyOf(t, get(t, b, "/metrics"))
		if strings.Contains(text, want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("no %q\n%s", want, text)
		}
	}
}

// TestPerHost: a host has its room, those that wait for it let others pass, and each gets its turn.
func TestPerHost(t *testing.T) {
	b := newBusy(3, 2, 10)
	for range 4 {
		b.ask(t.Context(), "a.example")
	}
	b.await(t, 2)
	b.ask(t.Context(), "b.example")
	began := map[string]int{}
	for range 3 {
		began[<-b.begun]++
	}
	if began["a.example"] != 2 || began["b.example"] != 1 {
		t.Errorf("began %v", began)
	}
	b.ask(t.Context(), "c.example")
	b.await(t, 3)
	close(b.release)
	for range 6 {
		if status := <-b.answers; status != 200 {
			t.Errorf("status %d", status)
		}
	}
}

// TestBusy: a request that finds no room to wait in is refused, and says when to come again. One host does
// not take all of that room, and a client that goes away leaves its place.
func TestBusy(t *testing.T) {
	b := newBusy(1, -1, 4)
	b.ask(t.Context(), "a.example")
	<-b.begun
	leaving, leave := context.WithCancel(t.Context())
	b.ask(leaving, "a.example")
	b.ask(t.Context(), "a.example")
	b.await(t, 2)
	refused := func(host string) {
		t.Helper()
		resp := get(t, b, "/fetch/ftp://"+host+"/x")
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" {
			t.Errorf("%s: %s %v", host, resp.Status, resp.Header)
		}
	}
	refused("a.example") // it has its half of the places
	b.ask(t.Context(), "b.example")
	b.ask(t.Context(), "c.example")
	b.await(t, 4)
	refused("d.example")
	leave()
	if status := <-b.answers; status != 0 {
		t.Errorf("a client that has gone: status %d", status)
	}
	b.ask(t.Context(), "d.example")
	b.await(t, 4)
	if resp := get(t, b, "/"); resp.StatusCode != 200 {
		t.Errorf("the first page: %s", resp.Status)
	}
	close(b.release)
	for range 5 {
		if status := <-b.answers; status != 200 {
			t.Errorf("status %d", status)
		}
	}
	b.await(t, 0)
}
