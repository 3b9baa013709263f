package nntp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/url"
)

// delayed returns the address of a proxy to addr that adds a delay to each round trip, for any
// amount of data in transit.
func delayed(tb testing.TB, addr string, roundTrip time.Duration) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", addr)
			if err != nil {
				client.Close()
				continue
			}
			go relay(server, client, roundTrip/2)
			go relay(client, server, roundTrip/2)
		}
	}()
	return l.Addr().String()
}

// relay copies from src to dst, and delays each byte.
func relay(dst, src net.Conn, delay time.Duration) {
	type piece struct {
		octets []byte
		due    time.Time
	}
	pieces := make(chan piece, 1000)
	go func() {
		defer close(pieces)
		for {
			octets := make([]byte, 16<<10)
			n, err := src.Read(octets)
			pieces <- piece{octets[:n], time.Now().Add(delay)}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		dst.Write(p.octets)
	}
	dst.Close()
}

// BenchmarkRange fetches 2,000 articles by range through a proxy that adds 20 ms, over one
// connection and over four, and reports the ratio of the times.
func BenchmarkRange(b *testing.B) {
	const count = 2000
	files := make(fstest.MapFS)
	for i := 1; i <= count; i++ {
		files[fmt.Sprintf("test.range/%d", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "Subject: %d\nMessage-ID: <%d@x.dom>\n\n%s", i, i, strings.Repeat("some text\n", 100))}
	}
	server := nntptest.NewServer(files)
	defer server.Close()
	addr := delayed(b, server.Addr, 20*time.Millisecond)
	fetch := func(workers int) time.Duration {
		begin := time.Now()
		f := new(nntp.Fetcher)
		defer f.CloseIdle()
		todo := make(chan *url.URL, count)
		for e, err := range entries(b, f, "nntp://"+addr+fmt.Sprintf("/test.range/1-%d", count)) {
			if err != nil {
				b.Fatal(err)
			}
			todo <- e.URL
		}
		close(todo)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for u := range todo {
					if _, err := get(b, f, u.String()); err != nil {
						b.Errorf("%s: %v", u, err)
					}
				}
			})
		}
		wg.Wait()
		return time.Since(begin)
	}
	var one, four time.Duration
	for b.Loop() {
		one += fetch(1)
		four += fetch(4)
	}
	b.ReportMetric(one.Seconds()/float64(b.N), "s/one")
	b.ReportMetric(four.Seconds()/float64(b.N), "s/four")
	b.ReportMetric(float64(one)/float64(four), "times-as-fast")
}

// hugeGroup serves the overview of a group of count articles, generated while it is sent.
func hugeGroup(tb testing.TB, count int) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		in, out := bufio.NewReader(c), bufio.NewWriter(c)
		fmt.Fprint(out, "200 ready\r\n")
		for {
			out.Flush()
			line, err := in.ReadString('\n')
			var first, last int
			switch {
			case err != nil:
				return
			case strings.HasPrefix(line, "GROUP"):
				fmt.Fprintf(out, "211 %d 1 %d g\r\n", count, count)
			case strings.HasPrefix(line, "OVER"):
				fmt.Sscanf(line, "OVER %d-%d", &first, &last)
				fmt.Fprint(out, "224 follows\r\n")
				for i := first; i <= last; i++ {
					fmt.Fprintf(out, "%d\tSubject of article %d\tA poster <poster@example.com>\tTue, 05 Mar 2024 06:07:00 +0000\t<%d@example.com>\t<1@example.com> <2@example.com>\t12345\t321\tXref: x g:%d\r\n", i, i, i, i)
				}
				fmt.Fprint(out, ".\r\n")
			default:
				fmt.Fprint(out, "500 what?\r\n")
			}
		}
	}()
	return "nntp://" + l.Addr().String() + "/g"
}

// The overview of 200,000 articles is a stream, whose memory does not grow with it.
func TestHugeGroup(t *testing.T) {
	const count, most = 200_000, 16 << 20
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, peak := 0, uint64(0)
	for e, err := range entries(t, f, hugeGroup(t, count)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if o := e.Sys.(nntp.Overview); o.Number != uint64(n) {
			t.Fatalf("entry %d is article %d", n, o.Number)
		}
		if n%50_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
		}
	}
	if n != count || peak > most {
		t.Errorf("%d entries of %d, and %d bytes held", n, count, peak)
	}
}

// Closing a listing early ends the conversation.
func TestLeaveListingEarly(t *testing.T) {
	f := new(nntp.Fetcher)
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, hugeGroup(t, 1_000_000))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, res.Body, 1000); err != nil {
		t.Error(err)
	}
	begin := time.Now()
	if res.Close(); time.Since(begin) > time.Second {
		t.Errorf("to close took %v", time.Since(begin))
	}
}
