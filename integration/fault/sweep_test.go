package fault_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/fault"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

// handler serves v4 with a length and in chunks.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/length", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", v4.etag)
		http.ServeContent(w, r, "", v4.time, bytes.NewReader(v4.data))
	})
	mux.HandleFunc("/chunks", func(w http.ResponseWriter, r *http.Request) {
		for data := range slices.Chunk(v4.data, 8000) {
			w.Write(data)
			w.(http.Flusher).Flush()
		}
	})
	return mux
}

// TestSweep cuts and resets good servers at many offsets, also before the file, and splits and
// delays their bytes. The result of a fetch depends neither on the offset nor on the sizes of
// reads.
func TestSweep(t *testing.T) {
	tree := fstest.MapFS{"f.bin": {Data: v4.data, ModTime: v4.time}, "f.txt": {Data: text}}
	whole := int64(len(v4.data))
	var (
		before = []int64{0, 1, 2, 9, 17, 100, 150}
		edges  = []int64{8000, 8200, 8211, whole - 1, whole, whole + 100, whole + 200, whole + 300, whole + 1000}
		steps  = 8
	)
	if *long {
		steps = 128
		for i := range int64(400) {
			before, edges = append(before, i), append(edges, whole+i)
		}
	}
	offsets := slices.Concat(before, edges)
	for i := range steps {
		offsets = append(offsets, whole*int64(i+1)/int64(steps+1))
	}
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)

	isFile := [][]byte{v4.data}
	for name, target := range map[string]struct {
		start   func(*scene) string
		item    string
		offsets []int64
		cut     []verdict // verdicts that a cut before the end may have
		data    [][]byte
	}{
		"http with a length": {overHTTP, "/length", offsets, []verdict{right, honest}, isFile},
		"http in chunks":     {overHTTP, "/chunks", offsets, []verdict{right, honest}, isFile},
		"the control connection of ftp": {func(s *scene) string {
			server := ftptest.NewServer(tree)
			s.Cleanup(server.Close)
			return server.URL
		}, "/f.bin", before, []verdict{right, honest}, isFile},
		"gemini": {func(s *scene) string {
			server := geminitest.NewServer(tree)
			s.Cleanup(server.Close)
			s.trust = server.ClientTLS()
			return server.URL
		}, "/f.bin", offsets, []verdict{right, honest}, isFile},
		"sftp": {func(s *scene) string {
			server := sftptest.NewServer(tree)
			s.Cleanup(server.Close)
			return server.URL
		}, "/f.bin", offsets, []verdict{right, honest}, isFile},
		"gopher text": {func(s *scene) string {
			server := gophertest.NewServer(tree)
			s.Cleanup(server.Close)
			return server.URL
		}, "/0/f.txt", offsets, []verdict{right, honest, unconfirmed}, isText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			count := make(map[verdict]int)
			try := func(t *testing.T, want []verdict, opts ...fault.Option) {
				trial := trial{name: name, want: want, tells: true, data: target.data, serve: func(s *scene) string {
					proxy := fault.NewProxy(target.start(s), opts...)
					s.Cleanup(proxy.Close)
					return proxy.URL + target.item
				}}
				v, _ := trial.play(t, false)
				mu.Lock()
				defer mu.Unlock()
				count[v]++
			}
			// Only a few connections have the fault: a client that gets one octet from each would
			// need as many connections as octets.
			strike := func(after int64, do fault.Action) fault.Option {
				f := fault.Fault{After: after, Do: do, Once: true}
				return fault.Faults(f, f, f, f)
			}
			for _, after := range target.offsets {
				t.Run(fmt.Sprintf("cut %d", after), func(t *testing.T) {
					try(t, target.cut, strike(after, fault.Cut))
				})
				t.Run(fmt.Sprintf("reset %d", after), func(t *testing.T) {
					try(t, []verdict{right, honest}, strike(after, fault.Reset))
				})
			}
			t.Run("octet by octet", func(t *testing.T) { try(t, mustBeRight, fault.Drip(1, 0)) })
			t.Run("delayed", func(t *testing.T) { try(t, mustBeRight, fault.Delay(40*time.Millisecond), fault.Drip(7777, 0)) })
			t.Run("stalled", func(t *testing.T) {
				try(t, mustFail, fault.Faults(fault.Fault{After: 120, Do: fault.Stall}))
			})
			t.Logf("%v", count)
		})
	}
}

func overHTTP(s *scene) string {
	server := httptest.NewServer(handler())
	s.Cleanup(server.Close)
	return server.URL
}
