package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// fetch fetches req, which must succeed, and looks at the Resource. The
// Resource is closed when the test ends.
func fetch(t *testing.T, ctx context.Context, f fetchers.Fetcher, req *fetchers.Request) *fetchers.Resource {
	t.Helper()
	var res *fetchers.Resource
	var err error
	within(t, 5*prompt, "Fetch", func() { res, err = f.Fetch(ctx, req) })
	if err != nil {
		t.Fatalf("Fetch(%s): %v", req.URL.Redacted(), err)
	}
	if res == nil {
		t.Fatal("Fetch returned neither an error nor a Resource")
	}
	switch {
	case res.Body == nil:
		t.Fatal("Body is nil")
	case res.Confirmed == nil:
		t.Fatal("Confirmed is nil")
	}
	t.Cleanup(func() { res.Close() })
	switch {
	case res.URL == nil:
		t.Error("URL is nil")
	case res.Size < -1:
		t.Errorf("Size = %d, want -1 or more", res.Size)
	case res.Kind == fetchers.Redirect && res.Location == nil:
		t.Error("a Redirect has no Location")
	case res.Kind == fetchers.Index && res.Query == nil:
		t.Error("an Index has no Query")
	case res.Kind == fetchers.Session && res.Session == nil:
		t.Error("a Session has no SessionHint")
	case res.Received() != 0:
		t.Errorf("Received = %d before anything was read", res.Received())
	}
	return res
}

// document is fetch for the Target's Document.
func document(t *testing.T, ctx context.Context, tgt Target) *fetchers.Resource {
	t.Helper()
	return fetch(t, ctx, tgt.Fetcher, &fetchers.Request{URL: tgt.Document})
}

// failure fetches req, which must fail, and looks at the error.
func failure(t *testing.T, ctx context.Context, f fetchers.Fetcher, req *fetchers.Request) error {
	t.Helper()
	var res *fetchers.Resource
	var err error
	within(t, prompt, "Fetch", func() { res, err = f.Fetch(ctx, req) })
	if err == nil {
		res.Close()
		t.Fatalf("Fetch(%s) succeeded", req.URL.Redacted())
	}
	if res != nil {
		t.Error("Fetch returned an error and a Resource")
	}
	checkError(t, err, req.URL)
	return err
}

// checkError checks that err is an Error that names u.
func checkError(t *testing.T, err error, u *url.URL) {
	t.Helper()
	var e *fetchers.Error
	if !errors.As(err, &e) {
		t.Errorf("error is a %T, want a *fetchers.Error: %v", err, err)
	} else if e.URL != u.Redacted() {
		t.Errorf("the error names %q, want %q", e.URL, u.Redacted())
	}
}

// readAll reads the Body to its end and must find want.
func readAll(t *testing.T, res *fetchers.Resource, want []byte) {
	t.Helper()
	var got []byte
	var err error
	within(t, 5*prompt, "reading", func() { got, err = io.ReadAll(res.Body) })
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	checkBytes(t, got, want)
	if res.Received() != int64(len(got)) {
		t.Errorf("Received = %d after %d bytes", res.Received(), len(got))
	}
}

// checkBytes compares without printing long contents.
func checkBytes(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	excerpt := func(p []byte) []byte { return p[at:min(at+40, len(p))] }
	t.Errorf("read %d bytes, want %d; from byte %d on they are %q, want %q",
		len(got), len(want), at, excerpt(got), excerpt(want))
}

// closePromptly closes res, which must succeed without waiting for anyone.
func closePromptly(t *testing.T, res *fetchers.Resource) {
	t.Helper()
	var err error
	within(t, prompt, "Close", func() { err = res.Close() })
	if err != nil {
		t.Errorf("Close: %v", err)
	}
}

// leave closes res without waiting for anyone. That its context is done may well
// be reported.
func leave(t *testing.T, res *fetchers.Resource) {
	t.Helper()
	within(t, prompt, "Close", func() { res.Close() })
}

// within ends the test if f has not returned after limit. f must not.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s did not return within %v", what, limit)
	}
}
