package embed

import (
	"fmt"
	nethttp "net/http"
	"runtime"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// idles is how many connections are idle at the same time.
const idles = 300

// maxIdleHeap is how many octets of heap an idle connection may cost, with those of its server.
const maxIdleHeap = 6 << 10

// heap returns how many octets of the heap are in use.
func heap() uint64 {
	var m runtime.MemStats
	for range 3 { // a sync.Pool drops its values in the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestIdleHeap has a client keep a connection to each of many hosts.
func TestIdleHeap(t *testing.T) {
	s := newServer(t)
	for _, c := range []client{
		stack(&fetchers.Network{MaxIdleConns: idles}),
		standard(&nethttp.Transport{MaxIdleConns: idles}),
	} {
		before := heap()
		for i := range idles {
			if err := c.get(t.Context(), fmt.Sprintf("http://127.0.%d.%d:%s/d", 1+i/250, 1+i%250, s.port)); err != nil {
				t.Fatal(err)
			}
		}
		s.mu.Lock()
		n := len(s.conns)
		s.mu.Unlock()
		each := (heap() - before) / idles
		t.Logf("%s: %d octets for each of %d idle connections", c.name, each, n)
		if c.name == "fetch" && (each > maxIdleHeap || n < idles) {
			t.Errorf("%d octets for each of %d connections, want no more than %d", each, n, maxIdleHeap)
		}
		c.close()
	}
}
