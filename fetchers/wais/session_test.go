package wais_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/waistest"
)

// Each fault is an error of the right class, in any answer, and no partial result counts as whole.
func TestFaults(t *testing.T) {
	first := map[waistest.Action]error{
		waistest.Hang: fetchers.ErrProtocol, waistest.Cut: io.ErrUnexpectedEOF, waistest.Stall: fetchers.ErrStalled,
		waistest.Empty: fetchers.ErrProtocol, waistest.NAK: fetchers.ErrProtocol, waistest.Huge: fetchers.ErrProtocol,
		waistest.Packed: fetchers.ErrProtocol, waistest.Junk: fetchers.ErrProtocol, waistest.Nested: fetchers.ErrProtocol, waistest.Longer: fetchers.ErrProtocol,
	}
	within := map[waistest.Action]error{waistest.Hang: io.ErrUnexpectedEOF}
	for do, class := range first {
		for at, kind := range []waistest.Command{waistest.Init, waistest.Search, waistest.Retrieve, waistest.Retrieve} {
			if do == waistest.Empty && kind == waistest.Init {
				continue // a server need not support it
			}
			server := serve(t, waistest.Faults(waistest.Fault{Command: kind, After: at, Do: do}))
			u := parse(t, server.URL+"/garden?apples")
			if kind == waistest.Retrieve {
				u = place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt")
				if at == 3 {
					if late, ok := within[do]; ok {
						class = late
					}
				}
			} else if kind == waistest.Init {
				u = place(t, server, "garden", "TEXT", "0 0 /wais/docs/bees.txt")
			}
			f := new(wais.Fetcher)
			if do == waistest.Stall {
				f.Network = &fetchers.Network{Stall: 50 * time.Millisecond}
			}
			_, body, err := get(t, f, u)
			if !errors.Is(err, class) {
				t.Errorf("action %d at answer %d: %v, want %v", do, at, err, class)
			}
			if !bytes.HasPrefix(content, body) {
				t.Errorf("action %d at answer %d: other bytes", do, at)
			}
		}
	}
}

// A server without Init is a version of 1992.
func TestWithoutInit(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Command: waistest.Init, Do: waistest.Empty}))
	if _, body, err := get(t, new(wais.Fetcher), place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html")); err != nil || len(body) == 0 {
		t.Errorf("%q, %v", body, err)
	}
}

// The announced size of an answer is not allocated.
func TestHugeAnswer(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Command: waistest.Retrieve, Do: waistest.Huge}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := get(t, new(wais.Fetcher), place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), "9999999999 bytes") {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes are allocated", n)
	}
}

// A surplus answer is noticed at the next request, and the connection is not used again.
func TestAnswerTooMany(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Command: waistest.Search, Do: waistest.Double, Once: true}))
	f := new(wais.Fetcher)
	if _, err := list(t, f, parse(t, server.URL+"/garden?honey")); err != nil {
		t.Fatal(err)
	}
	_, body, err := get(t, f, place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"))
	if err == nil && !bytes.Equal(body, content) {
		t.Errorf("%d bytes that are not the document", len(body))
	}
}

// A kept connection that the server has closed is replaced once.
func TestKeptConnectionIsGone(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Command: waistest.Search, After: 2, Do: waistest.Hang}))
	f := new(wais.Fetcher)
	for range 3 {
		if hits, err := list(t, f, parse(t, server.URL+"/garden?honey")); err != nil || len(hits) != 1 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
	}
	if n := server.Connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}
