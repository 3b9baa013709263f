package gopher_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// serve answers one request with answer, and returns the URL of a menu there.
func serve(t *testing.T, answer func(conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		bufio.NewReader(conn).ReadString('\n')
		answer(conn)
	}()
	return "gopher://" + l.Addr().String() + "/1"
}

// A menu of 100,000 lines is streamed: its first entry is yielded before the server has sent the
// second, and its memory does not grow.
func TestMenuStreams(t *testing.T) {
	const many = 100_000
	seen := make(chan struct{})
	u := serve(t, func(conn net.Conn) {
		w := bufio.NewWriter(conn)
		for i := range many {
			fmt.Fprintf(w, "0The document with the number %d\t/documents/%d\texample.org\t70\t+\r\n", i, i)
			if i == 0 {
				w.Flush()
				<-seen
			}
		}
		io.WriteString(w, ".\r\n")
		w.Flush()
	})
	res, err := new(gopher.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	n, most := 0, uint64(0)
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			close(seen)
		}
		if want := fmt.Sprintf("/0/documents/%d%%09%%09+", n); e.URL.Path != want {
			t.Fatalf("entry %d leads to %s, want %s", n, e.URL.Path, want)
		}
		if n++; n%10_000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	if n != many || !res.Confirmed() {
		t.Errorf("%d entries, confirmed %v", n, res.Confirmed())
	}
	if most > 20<<20 {
		t.Errorf("%d bytes are in use", most)
	}
}

// A stalled server times out after the stall limit, at any point; a stall after the end of the body
// is no error.
func TestSilence(t *testing.T) {
	nw := &fetchers.Network{Stall: 50 * time.Millisecond}
	for name, c := range map[string]struct {
		path string
		do   gophertest.Action
		want error
	}{
		"no answer":       {"/0/pub/deep/a/b.txt", gophertest.Stall, fetchers.ErrStalled},
		"a text":          {"/0/pub/deep/a/b.txt", gophertest.Hold, nil},
		"a menu":          {"/1/pub", gophertest.Hold, nil},
		"counted":         {"/0/pub/deep/a/b.txt%09%09+", gophertest.Hold, nil},
		"bytes":           {"/9/pub/deep/a/b.txt", gophertest.Hold, fetchers.ErrStalled},
		"attributes":      {"/0/pub/deep/a/b.txt%09%09!", gophertest.Hold, nil},
		"what is missing": {"/0/nope%09%09+", gophertest.Stall, fetchers.ErrStalled},
	} {
		server := gophertest.NewServer(files, gophertest.Faults(gophertest.Fault{Do: c.do}))
		res, err := (&gopher.Fetcher{Network: nw}).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+c.path)})
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			if err == nil && !res.Confirmed() {
				t.Errorf("%s: not confirmed", name)
			}
			res.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		server.Close()
	}
}

// A server without TLS causes an error, and never a request in plain text.
func TestNoTLS(t *testing.T) {
	server := gophertest.NewServer(files)
	defer server.Close()
	nw := &fetchers.Network{Stall: 50 * time.Millisecond}
	_, err := (&gopher.Fetcher{Network: nw}).Fetch(t.Context(), &fetchers.Request{URL: parse(t, strings.Replace(server.URL, "gopher:", "gophers:", 1)+"/0/pub/poem.txt")})
	if err == nil || !strings.Contains(err.Error(), "TLS: ") {
		t.Errorf("%v", err)
	}
	for _, r := range server.Transcript() {
		if strings.Contains(r, "poem") {
			t.Errorf("the server was asked %q", r)
		}
	}
}

// The answers in a form appear in no trace and no error.
func TestFormIsHidden(t *testing.T) {
	server := gophertest.NewServer(files)
	defer server.Close()
	var traced strings.Builder
	tell := func(_ context.Context, line string) { traced.WriteString(line + "\n") }
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: tell, Got: tell, Note: tell})
	_, err := new(gopher.Fetcher).Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"/0/nope%09%09+%091%0D%0A+-1%0d%0As3cret%0D%0A.%0D%0A")})
	if err == nil || strings.Contains(err.Error()+traced.String(), "s3cret") {
		t.Errorf("%v, traced\n%s", err, &traced)
	}
	if r := server.Transcript(); len(r) != 1 || !strings.Contains(r[0], "\r\ns3cret\r\n") {
		t.Errorf("the server was asked %q", r)
	}
}

// Empty lines count too, since they take memory.
func TestEmptyLinesOfAttributes(t *testing.T) {
	in := io.MultiReader(strings.NewReader("+INFO: 0A\t/a\th\t70\t+\r\n+ABSTRACT:\r\n"), strings.NewReader(strings.Repeat("\n", 1<<20)))
	for item, err := range gopher.ParseAttributes(in) {
		if !errors.Is(err, fetchers.ErrProtocol) {
			t.Errorf("%d lines are held, %v", len(item.Block("ABSTRACT")), err)
		}
	}
}
