//go:build unix

package download_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/url"
)

// TestMain is also the program that TestKilled kills. It downloads a file with the mirrors
// $SAVE_URLS and the sum $SAVE_SUM, if not empty, to $SAVE_FILE over $SAVE_SEGMENTS connections.
func TestMain(m *testing.M) {
	if os.Getenv("SAVE_URLS") == "" {
		leak.Main(m)
	}
	if err := saveAsTold(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func saveAsTold() (err error) {
	saver, to := &download.Saver{Fetcher: new(http.Fetcher)}, download.Target{Name: os.Getenv("SAVE_FILE")}
	if saver.Segments, err = strconv.Atoi(os.Getenv("SAVE_SEGMENTS")); err != nil {
		return err
	}
	if sum := os.Getenv("SAVE_SUM"); sum != "" {
		if to.Sum, err = download.ParseSum(sum); err != nil {
			return err
		}
	}
	var reqs []*fetchers.Request
	for text := range strings.FieldsSeq(os.Getenv("SAVE_URLS")) {
		u, err := url.Parse(text)
		if err != nil {
			return err
		}
		reqs = append(reqs, &fetchers.Request{URL: u, Header: textproto.MIMEHeader{"Run": {os.Getenv("SAVE_RUN")}}})
	}
	_, err = saver.SaveAny(context.Background(), reqs, to)
	return err
}

// TestKilled kills downloads with SIGKILL at random times, and restarts them until they finish. The
// file is right, and only bytes that arrived after the last journal are fetched twice.
func TestKilled(t *testing.T) {
	for name, segments := range map[string]int{"one connection": 1, "segments": 3, "mirrors": 4} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &killing{segments: segments, rate: (4 << 20) / segments, mirrors: name == "mirrors"}
			most := 2
			if *thorough {
				most = 200
			}
			for k.kills < most {
				k.download(t, min(5, most-k.kills))
			}
			t.Logf("%d kills, %d downloads of %d bytes, %d bytes sent twice: %d for each kill", k.kills, k.done, len(long.content), k.twice, k.twice/int64(k.kills))
		})
	}
}

// A killing is a series of killed downloads.
type killing struct {
	segments int
	rate     int // bytes per second of each connection
	mirrors  bool

	sent  atomic.Int64
	mu    sync.Mutex
	run   int
	asked [][2]int64 // in this run

	kills, done int
	twice       int64
}

// serve records the requested ranges.
func (k *killing) serve(w nethttp.ResponseWriter, r *nethttp.Request) {
	from, to := int64(0), int64(len(long.content))
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); n == 2 {
		to++
	}
	k.mu.Lock()
	if r.Header.Get("Run") == strconv.Itoa(k.run) { // not a late request of an earlier run
		k.asked = append(k.asked, [2]int64{from, to})
	}
	k.mu.Unlock()
	long.serve(&slow{w, &k.sent, k.rate}, r)
}

// download downloads a file, and kills the download at most so many times.
func (k *killing) download(t *testing.T, most int) {
	server := httptest.NewServer(nethttp.HandlerFunc(k.serve))
	defer server.Close()
	urls, sum := server.URL, ""
	if k.mirrors {
		second := httptest.NewServer(nethttp.HandlerFunc(k.serve))
		defer second.Close()
		urls, sum = urls+" "+second.URL, sumOf(t, long).String()
	}
	file := filepath.Join(t.TempDir(), "f")
	k.sent.Store(0)
	kills := 0
	for {
		have := journaled(t, file)
		k.mu.Lock()
		k.run++
		k.asked = nil
		k.mu.Unlock()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "SAVE_URLS="+urls, "SAVE_FILE="+file, "SAVE_SUM="+sum, "SAVE_SEGMENTS="+strconv.Itoa(k.segments), "SAVE_RUN="+strconv.Itoa(k.run), "GORACE=atexit_sleep_ms=0")
		var stderr bytes.Buffer
		child.Stderr = &stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < most {
			time.AfterFunc(rand.N(2*time.Second), func() { child.Process.Kill() })
		}
		err := child.Wait()
		k.mu.Lock()
		for _, asked := range k.asked {
			for _, span := range have {
				if max(asked[0], span[0]) < min(asked[1], span[1]) {
					t.Errorf("%v was asked for, and %v is there", asked, span)
				}
			}
		}
		k.mu.Unlock()
		if err == nil {
			break
		}
		if stderr.Len() > 0 {
			t.Fatal(stderr.String())
		}
		wantNone(t, file)
		kills++
	}
	wantContent(t, file, long.content)
	wantAlone(t, file)
	twice := k.sent.Load() - int64(len(long.content))
	// One second of data, and data in transit.
	if bound := int64(kills * 2 * k.rate * k.segments); twice > bound {
		t.Errorf("%d bytes were sent twice, with %d kills; want %d at most", twice, kills, bound)
	}
	k.kills, k.done, k.twice = k.kills+kills, k.done+1, k.twice+twice
}

// journaled returns the spans in the journal of a file. If the journal lists the whole file, it
// leaves out the last byte, which the download requests to check that the file is the same.
func journaled(t *testing.T, file string) [][2]int64 {
	text, err := os.ReadFile(file + ".part.json")
	if err != nil {
		return nil
	}
	var journal struct{ Have [][2]int64 }
	if err := json.Unmarshal(text, &journal); err != nil {
		t.Log(err) // killed at its start
		return nil
	}
	if len(journal.Have) == 1 && journal.Have[0] == [2]int64{0, int64(len(long.content))} {
		return nil
	}
	return journal.Have
}

// TestFull checks a full disk: an existing file stays, and with more space the download resumes.
func TestFull(t *testing.T) {
	for _, segments := range []int{1, 3} {
		server := httptest.NewServer(nethttp.HandlerFunc(long.serve))
		defer server.Close()
		file := filepath.Join(t.TempDir(), "f")
		write(t, file, []byte("old"))
		child := exec.Command("sh", "-c", `ulimit -f 6000 && exec "$0"`, os.Args[0]) // blocks of 512 bytes
		child.Env = append(os.Environ(), "SAVE_URLS="+server.URL, "SAVE_FILE="+file, "SAVE_SEGMENTS="+strconv.Itoa(segments))
		out, err := child.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "file too large") {
			t.Fatalf("%v: %s", err, out)
		}
		wantContent(t, file, []byte("old"))
		saver := &download.Saver{Fetcher: web(t), Segments: segments}
		saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
		if err != nil || saved.Resumed < 2_000_000 {
			t.Fatalf("%v, resumed after %d", err, saved.Resumed)
		}
		wantContent(t, file, long.content)
		wantAlone(t, file)
	}
}
