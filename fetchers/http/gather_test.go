package http_test

import (
	"bytes"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// TestGathered: successive records are read together, but no record waits for one that does not
// come. The stall timeout still applies.
func TestGathered(t *testing.T) {
	const stop = 40 << 10 // after two and a half records
	content := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	goOn := make(chan bool)
	server := httptest.NewTLSServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:stop])
		w.(nethttp.Flusher).Flush()
		if <-goOn {
			w.Write(content[stop:])
		}
	}))
	defer server.Close()
	var one nethttp.Protocols
	one.SetHTTP1(true)
	f := &http.Fetcher{TLS: trustIn(server), Protocols: &one, Network: &fetchers.Network{Stall: 200 * time.Millisecond}}
	defer f.CloseIdle()
	req := &fetchers.Request{URL: parse(t, server.URL)}

	for _, ends := range []bool{true, true, false} {
		res, err := f.Fetch(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		large, most := make([]byte, 1<<20), 0
		for got.Len() < stop {
			n, err := res.Body.Read(large)
			if got.Write(large[:n]); err != nil {
				t.Fatal(err)
			}
		}
		if !ends {
			if _, err := res.Body.Read(large); !errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("error = %v, want ErrStalled", err)
			}
			res.Close()
			goOn <- false
			break
		}
		goOn <- true
		for err == nil {
			var n int
			n, err = res.Body.Read(large)
			got.Write(large[:n])
			most = max(most, n)
		}
		res.Close()
		if err != io.EOF || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("%d octets, error %v", got.Len(), err)
		}
		if most <= 16<<10 {
			t.Errorf("no more than %d octets were read at once", most)
		}
	}
}
