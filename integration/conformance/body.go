package conformance

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func bodyIsContent(t *testing.T, tgt Target) {
	res := document(t, t.Context(), tgt)
	if res.Kind != tgt.Kind {
		t.Errorf("Kind = %v, want %v", res.Kind, tgt.Kind)
	}
	if res.Size >= 0 && res.Size != int64(len(tgt.Content)) {
		t.Errorf("Size = %d, want %d", res.Size, len(tgt.Content))
	}
	if res.Confirmed() && len(tgt.Content) > 0 {
		t.Error("Confirmed before anything was read")
	}
	readAll(t, res, tgt.Content)
	for range 2 {
		if n, err := res.Body.Read(make([]byte, 8)); n != 0 || err != io.EOF {
			t.Errorf("Read after the end = %d, %v, want 0, EOF", n, err)
		}
	}
	if res.Confirmed() == tgt.Unconfirmed {
		t.Errorf("Confirmed() = %v after the end", res.Confirmed())
	}
	closePromptly(t, res)
}

// oddBuffers reads with buffers of sizes at which a decoder that works in pieces
// might go wrong, and looks at Received after each Read.
func oddBuffers(t *testing.T, tgt Target) {
	for _, sizes := range [][]int{{1}, {2, 3}, {7, 1, 511}, {4095, 4097}} {
		res := document(t, t.Context(), tgt)
		var got []byte
		for i, err := 0, error(nil); err == nil; i++ {
			var n int
			p := make([]byte, sizes[i%len(sizes)])
			n, err = res.Body.Read(p)
			got = append(got, p[:n]...)
			if res.Received() != int64(len(got)) {
				t.Fatalf("Received = %d after %d bytes", res.Received(), len(got))
			}
			if err != nil && err != io.EOF {
				t.Fatalf("buffers of %v: %v", sizes, err)
			}
		}
		checkBytes(t, got, tgt.Content)
		closePromptly(t, res)
	}
}

// copied checks io.Copy, which uses the WriteTo of the Body if it has one.
func copied(t *testing.T, tgt Target) {
	res := document(t, t.Context(), tgt)
	var b bytes.Buffer
	n, err := io.Copy(&b, res.Body)
	if err != nil || n != int64(b.Len()) || res.Received() != n {
		t.Errorf("Copy = %d, %v; Received = %d; %d bytes came", n, err, res.Received(), b.Len())
	}
	checkBytes(t, b.Bytes(), tgt.Content)
}

func closeTwice(t *testing.T, tgt Target) {
	res := document(t, t.Context(), tgt)
	readAll(t, res, tgt.Content)
	closePromptly(t, res)
	closePromptly(t, res)
	if err := res.Body.Close(); err != nil {
		t.Errorf("Body.Close: %v", err)
	}
}

func closeUnread(t *testing.T, tgt Target) {
	closePromptly(t, document(t, t.Context(), tgt))
}

// closeEarly also checks that the Fetcher is none the worse for it.
func closeEarly(t *testing.T, tgt Target) {
	if len(tgt.Content) < 2 {
		t.Skip("Content has no middle")
	}
	res := document(t, t.Context(), tgt)
	if _, err := res.Body.Read(make([]byte, 1)); err != nil {
		t.Fatalf("Read: %v", err)
	}
	closePromptly(t, res)
	if res.Confirmed() {
		t.Error("Confirmed after one byte")
	}
	readAll(t, document(t, t.Context(), tgt), tgt.Content)
}

func closeStalled(t *testing.T, tgt Target) {
	if tgt.Stalled == nil {
		t.Skip("no Stalled document")
	}
	u := tgt.Stalled(t)
	res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: u})
	within(t, prompt, "the first Read", func() { res.Body.Read(make([]byte, 1)) })
	closePromptly(t, res)
}

func readClosed(t *testing.T, tgt Target) {
	unread := document(t, t.Context(), tgt)
	closePromptly(t, unread)
	read := document(t, t.Context(), tgt)
	readAll(t, read, tgt.Content)
	closePromptly(t, read)
	for _, res := range []*fetchers.Resource{unread, read} {
		if n, err := res.Body.Read(make([]byte, 8)); n != 0 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("Read after Close = %d, %v, want an error", n, err)
		}
	}
}

func cutShort(t *testing.T, tgt Target) {
	if tgt.Cut == nil {
		t.Skip("no Cut document")
	}
	u := tgt.Cut(t)
	res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: u})
	var err error
	within(t, 5*prompt, "reading", func() { _, err = io.ReadAll(res.Body) })
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("reading ended in %v, want an unexpected EOF", err)
	}
	checkError(t, err, res.URL)
	if res.Confirmed() {
		t.Error("Confirmed although it was cut short")
	}
	if n, again := res.Body.Read(make([]byte, 8)); n != 0 || !errors.Is(again, io.ErrUnexpectedEOF) {
		t.Errorf("another Read = %d, %v, want the same error", n, again)
	}
	closePromptly(t, res)
}
