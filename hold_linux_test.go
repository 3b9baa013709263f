package fetch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// Parameters of BenchmarkHold.
const (
	held       = 1000
	beginning  = 300 << 10 // bytes that a server sends before it stalls
	heldMemory = 150 << 20
)

// BenchmarkHold keeps 1,000 fetches open at once, half of them http and half ftp, from servers in
// another process that stall in the middle. It reports the memory that they take in this process:
//
//	go test -run '^$' -bench Hold -benchtime 1x .
func BenchmarkHold(b *testing.B) {
	urls := startSilent(b)
	client := &fetchers.Client{Fetcher: fetch.Protocols(nil)}
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var fetches sync.WaitGroup
		var come atomic.Int64
		for i := range held {
			fetches.Go(func() { hold(ctx, b, client, urls[i%len(urls)], &come) })
		}
		for come.Load() < held*beginning && !b.Failed() {
			time.Sleep(time.Millisecond)
		}
		memory := resident(b)
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
		b.ReportMetric(float64(descriptors(b)), "descriptors")
		b.ReportMetric(float64(memory)/1e6, "MB")
		if memory > heldMemory {
			b.Errorf("%d fetches take %d bytes of memory, and may take %d", held, memory, heldMemory)
		}
		cancel()
		fetches.Wait()
		client.CloseIdle()
	}
}

// hold fetches a URL and adds the received bytes to come, until ctx is done.
func hold(ctx context.Context, b *testing.B, client *fetchers.Client, url string, come *atomic.Int64) {
	res, err := client.Get(ctx, url)
	if err != nil {
		b.Error(err)
		return
	}
	defer res.Close()
	if _, err := io.Copy((*counter)(come), res.Body); ctx.Err() == nil {
		b.Errorf("%s: it ended: %v", url, err)
	}
}

// A counter counts the bytes written to it.
type counter atomic.Int64

func (c *counter) Write(p []byte) (int, error) {
	(*atomic.Int64)(c).Add(int64(len(p)))
	return len(p), nil
}

// startSilent starts this test again as the servers, and returns a URL at each.
func startSilent(b *testing.B) (urls []string) {
	servers := exec.Command(os.Args[0], "-test.run=^TestSilentServers$", "-test.v")
	servers.Env = append(os.Environ(), silentServers+"=yes")
	stdin, err := servers.StdinPipe() // the servers end with their stdin
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := servers.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := servers.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		if err := servers.Wait(); err != nil {
			b.Error(err)
		}
	})
	for in := bufio.NewScanner(stdout); len(urls) < 2 && in.Scan(); {
		if u, ok := strings.CutPrefix(in.Text(), "at "); ok {
			urls = append(urls, u)
		}
	}
	if len(urls) < 2 {
		b.Fatal("there are no servers")
	}
	return urls
}

// silentServers is the environment variable that makes a process the servers of BenchmarkHold.
const silentServers = "FETCH_TEST_SILENT_SERVERS"

// TestSilentServers is not a test: it runs the servers in their own process.
func TestSilentServers(t *testing.T) {
	if os.Getenv(silentServers) == "" {
		t.SkipNow()
	}
	content := make([]byte, beginning+1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:beginning])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer web.Close()
	ftp := ftptest.NewServer(fstest.MapFS{"file": {Data: content}},
		ftptest.Faults(ftptest.Fault{After: beginning, Do: ftptest.Stall}))
	defer ftp.Close()
	fmt.Printf("at %s/file\nat %s/file\n", web.URL, ftp.URL)
	io.Copy(io.Discard, os.Stdin)
}

// resident returns the resident memory of this process in bytes.
func resident(b *testing.B) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib << 10
}

func descriptors(b *testing.B) int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		b.Fatal(err)
	}
	return len(open)
}
