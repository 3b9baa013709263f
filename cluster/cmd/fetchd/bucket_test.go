package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/s3test"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster"
)

// pub is a file system with the bucket pub.
var pub = fstest.MapFS{"pub/there.txt": {Data: []byte("there before")}}

// bodies answers with bodies of many sizes: in the memory of a worker, in its spool, and of several parts.
func bodies(t *testing.T) (urls []string) {
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		var size int
		fmt.Sscanf(r.URL.Path, "/%d", &size)
		io.WriteString(w, strings.Repeat("x", size))
	}))
	t.Cleanup(s.Close)
	for _, size := range []int{0, 1, 100_000, 17 << 20} {
		for _, again := range []string{"", "?again"} {
			urls = append(urls, fmt.Sprintf("%s/%d%s", s.URL, size, again))
		}
	}
	return urls
}

// keys are those of a worker at an S3 server.
func keys(t *testing.T) s3test.Option {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	return s3test.User("AKID", "s3cret")
}

// work starts workers with a bucket as their sink. stop ends them, and returns their messages.
func work(t *testing.T, at, endpoint string, workers int) (stop func() string) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	said := make([]string, workers)
	for i := range workers {
		all.Go(func() {
			_, _, said[i] = fetchd(t, ctx, at, "", "work", "--sink", "s3://pub/p", "--sink-endpoint", endpoint, "--sink-region", "us-east-1",
				"--sink-spool", t.TempDir(), "--state", t.TempDir(), "--flush", "0.05")
		})
	}
	return func() string { cancel(); all.Wait(); return strings.Join(said, "") }
}

// Two workers keep bodies in a bucket: each body is an object with its sum as its name, and each URL has a
// record that says so.
func TestBodiesGoToABucket(t *testing.T) {
	s3 := s3test.New(t, pub, s3test.Writable(), keys(t))
	at, urls := up(t), bodies(t)
	if status, _, errs := fetchd(t, t.Context(), at, "", append([]string{"add"}, urls...)...); status != 0 {
		t.Fatal(errs)
	}
	stop := work(t, at, s3.URL, 2)
	within, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	fetchd(t, within, at, "", "status", "-w", "--json")
	said := stop()
	_, out, _ := fetchd(t, t.Context(), at, "", "records", "--final")
	written := s3.Written()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		var r record.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Error != nil || r.Output == nil || r.SHA256 == nil {
			t.Fatalf("%v: %s", err, line)
		}
		content, there := written[strings.TrimPrefix(*r.Output, "s3://")]
		if sum := sha256.Sum256([]byte(content)); !there || hex.EncodeToString(sum[:]) != *r.SHA256 || int64(len(content)) != r.Received {
			t.Errorf("%s: %d bytes in %s", r.URL, len(content), *r.Output)
		}
	}
	if len(lines) != len(urls) || len(written) != len(urls)/2 {
		t.Errorf("%d records and %d objects of %d URLs: %s", len(lines), len(written), len(urls), said)
	}
}

// If the ETag in the answer of the bucket is not that of the body, no URL has a record, and the worker reports
// the ETag.
func TestBucketThatLiesHasNoRecords(t *testing.T) {
	s3 := s3test.New(t, pub, s3test.Writable(), s3test.LyingTags(), keys(t))
	at, urls := up(t), bodies(t)
	fetchd(t, t.Context(), at, "", append([]string{"add"}, urls...)...)
	stop := work(t, at, s3.URL, 1)
	var s cluster.Status
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		_, out, _ := fetchd(t, t.Context(), at, "", "status", "--json")
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Workers) == 1 && strings.Contains(s.Workers[0].Trouble, "ETag") {
			break
		}
	}
	said := stop()
	if s.URLs != 0 || s.Waiting == 0 {
		t.Errorf("%d records and %d pages that wait", s.URLs, s.Waiting)
	}
	if !strings.Contains(said, "ETag is not that of the content") || strings.Contains(said, "s3cret") {
		t.Errorf("the worker said %q", said)
	}
}
