//go:build unix

package download_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// TestMain is also the program that TestKilled kills: it downloads $SAVE_URL to
// $SAVE_FILE over as many connections as $SAVE_SEGMENTS is long.
func TestMain(m *testing.M) {
	if os.Getenv("SAVE_URL") == "" {
		os.Exit(m.Run())
	}
	u, err := url.Parse(os.Getenv("SAVE_URL"))
	if err == nil {
		saver := &download.Saver{Fetcher: new(http.Fetcher), Segments: len(os.Getenv("SAVE_SEGMENTS"))}
		_, err = saver.Save(context.Background(), &fetchers.Request{URL: u}, download.Target{Name: os.Getenv("SAVE_FILE")})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestKilled kills downloads with SIGKILL, at moments nobody chose, and runs them
// again until one gets to the end. The file is right, and all that is fetched twice
// is what came since the journal was last written.
func TestKilled(t *testing.T) {
	for _, segments := range []string{"1", "123"} {
		t.Run(segments, func(t *testing.T) {
			t.Parallel()
			killed(t, segments)
		})
	}
}

func killed(t *testing.T, segments string) {
	rate, size := (4<<20)/len(segments), 8<<20 // octets a second for each connection
	v := version{content(7, size), `"v7"`, day}
	var sent atomic.Int64
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		v.serve(&slow{w, &sent, rate}, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	kills := 0
	for {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "SAVE_URL="+server.URL, "SAVE_FILE="+file, "SAVE_SEGMENTS="+segments, "GORACE=atexit_sleep_ms=0")
		var stderr bytes.Buffer
		child.Stderr = &stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 2 {
			time.AfterFunc(time.Second+rand.N(time.Second), func() { child.Process.Kill() })
		}
		if err := child.Wait(); err == nil {
			break
		}
		if stderr.Len() > 0 {
			t.Fatal(stderr.String())
		}
		wantNone(t, file)
		kills++
	}
	if kills == 0 {
		t.Error("it was done before it was killed")
	}
	wantContent(t, file, v.content)
	wantAlone(t, file)
	// A second's worth, and what is on its way.
	if most := int64(size + kills*2*rate*len(segments)); sent.Load() > most {
		t.Errorf("%d octets were sent for %d, with %d kills; want %d at most", sent.Load(), size, kills, most)
	}
}
