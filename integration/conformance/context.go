package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func contextDone(t *testing.T, tgt Target) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, ctx := range []context.Context{canceled, late} {
		err := failure(t, ctx, tgt.Fetcher, &fetchers.Request{URL: tgt.Document})
		if !errors.Is(err, ctx.Err()) {
			t.Errorf("error = %v, want %v", err, ctx.Err())
		}
	}
}

// cancelSilent sends a request to a server that accepts connections, or datagrams, and does not answer.
func cancelSilent(t *testing.T, tgt Target) {
	if tgt.Stalled == nil || tgt.Document.Host == "" {
		t.Skip("no network")
	}
	u := *tgt.Document
	if tgt.Silent != nil {
		u = *tgt.Silent(t)
	} else {
		u.Host, u.Port = "127.0.0.1", silentPort(t, tgt.Datagrams)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := failure(t, ctx, tgt.Fetcher, &fetchers.Request{URL: &u}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a deadline: error = %v, want deadline exceeded", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := failure(t, ctx, tgt.Fetcher, &fetchers.Request{URL: &u}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error = %v, want canceled", err)
	}
}

// silentPort returns the port of a server that sends nothing until the test ends.
func silentPort(t *testing.T, datagrams bool) uint16 {
	if datagrams {
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() }) // resets connections that were not accepted
	return l.Addr().(*net.TCPAddr).AddrPort().Port()
}

func cancelStalled(t *testing.T, tgt Target) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	readStalled(t, ctx, tgt, cancel)
}

func deadlineStalled(t *testing.T, tgt Target) {
	ctx, cancel := context.WithTimeout(t.Context(), prompt/2)
	defer cancel()
	readStalled(t, ctx, tgt, func() { <-ctx.Done() })
}

// readStalled reads the Stalled document until nothing more comes, calls end,
// which ends ctx, and expects the Read to notice.
func readStalled(t *testing.T, ctx context.Context, tgt Target, end func()) {
	t.Helper()
	if tgt.Stalled == nil {
		t.Skip("no Stalled document")
	}
	u := tgt.Stalled(t)
	res := fetch(t, ctx, tgt.Fetcher, &fetchers.Request{URL: u})
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, res.Body)
		read <- err
	}()
	awaitPart(res)
	select {
	case err := <-read:
		if ctx.Err() == nil {
			t.Fatalf("the document does not stall: reading ended in %v", err)
		}
		read <- err
	default:
	}
	end()
	select {
	case err := <-read:
		if !errors.Is(err, ctx.Err()) {
			t.Errorf("reading ended in %v, want %v", err, ctx.Err())
		}
		checkError(t, err, res.URL)
	case <-time.After(prompt):
		t.Fatalf("Read still waits %v after the context was done", prompt)
	}
	if res.Confirmed() {
		t.Error("Confirmed although the context ended it")
	}
	leave(t, res)
}

// awaitPart waits until the sent part has arrived, then a little for the Read
// after it. A decoder may hold the part back, so it does not insist.
func awaitPart(res *fetchers.Resource) {
	for range 50 {
		time.Sleep(10 * time.Millisecond)
		if res.Received() > 0 {
			break
		}
	}
	time.Sleep(50 * time.Millisecond)
}

// cancelBetween cancels between two Reads. Bytes that have arrived may still be read. If they are
// not the whole Body, its end is the error of the context.
func cancelBetween(t *testing.T, tgt Target) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := document(t, ctx, tgt)
	cancel()
	var got []byte
	var err error
	within(t, prompt, "reading", func() { got, err = io.ReadAll(res.Body) })
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		t.Errorf("reading ended in %v, want canceled", err)
	case !bytes.Equal(got, tgt.Content):
		t.Errorf("reading ended in EOF after %d bytes of %d", len(got), len(tgt.Content))
	}
	leave(t, res)
}
