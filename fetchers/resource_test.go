package fetchers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A source is the source of a Body, and counts calls of Close.
type source struct {
	io.Reader
	closed int
	err    error // of Close
}

func (s *source) Close() error { s.closed++; return s.err }

// body returns a Resource with a Body that reads from r.
func body(t *testing.T, r io.Reader) (*fetchers.Resource, *source) {
	src := &source{Reader: r}
	res := &fetchers.Resource{URL: parse(t, "ftp://me:secret@h.example/x"), Kind: fetchers.Document}
	res.SetBody(src)
	return res, src
}

func TestBodyToTheEnd(t *testing.T) {
	for name, read := range map[string]func(io.Reader) ([]byte, error){
		"ReadAll":      io.ReadAll,
		"byte by byte": func(r io.Reader) ([]byte, error) { return io.ReadAll(iotest.OneByteReader(r)) },
		"Copy": func(r io.Reader) ([]byte, error) {
			var b bytes.Buffer
			n, err := io.Copy(&b, r)
			if n != int64(b.Len()) {
				t.Errorf("Copy = %d, want %d", n, b.Len())
			}
			return b.Bytes(), err
		},
	} {
		for _, end := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.HalfReader, iotest.OneByteReader} {
			res, _ := body(t, end(strings.NewReader("some content")))
			if res.Confirmed() || res.Received() != 0 {
				t.Errorf("%s: confirmed before it was read", name)
			}
			got, err := read(res.Body)
			if string(got) != "some content" || err != nil || !res.Confirmed() || res.Received() != 12 {
				t.Errorf("%s: %q, %v, Confirmed = %v, Received = %d", name, got, err, res.Confirmed(), res.Received())
			}
			if n, err := res.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%s: Read after the end = %d, %v", name, n, err)
			}
		}
	}
}

func TestBodyPassesIotest(t *testing.T) {
	res, _ := body(t, strings.NewReader("some content"))
	if err := iotest.TestReader(res.Body, []byte("some content")); err != nil {
		t.Error(err)
	}
}

// TestBodyCutShort also checks that an error persists, whatever the source returns later.
func TestBodyCutShort(t *testing.T) {
	const want = "read ftp://me:***@h.example/x: unexpected EOF"
	for name, read := range map[string]func(io.Reader) (int64, error){
		"Copy": func(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) },
		"Read": func(r io.Reader) (int64, error) { return io.Copy(io.Discard, struct{ io.Reader }{r}) },
	} {
		res, _ := body(t, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF), strings.NewReader("more")))
		n, err := read(res.Body)
		var e *fetchers.Error
		if n != 4 || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s: %d, %v, want 4, %s", name, n, err, want)
		}
		if n, again := res.Body.Read(make([]byte, 9)); n != 0 || again != err {
			t.Errorf("%s: another Read = %d, %v, want the same error", name, n, again)
		}
		if res.Confirmed() {
			t.Errorf("%s: Confirmed", name)
		}
	}
}

func TestBodyClose(t *testing.T) {
	res, src := body(t, strings.NewReader("content"))
	src.err = errors.New("no goodbye")
	if err := res.Close(); err != src.err {
		t.Errorf("Close = %v, want %v", err, src.err)
	}
	if err := res.Body.Close(); err != nil || src.closed != 1 {
		t.Errorf("second Close = %v, the source was closed %d times", err, src.closed)
	}
	for range 2 {
		if n, err := res.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, fs.ErrClosed) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Read after Close = %d, %v", n, err)
		}
	}
	if res.Confirmed() {
		t.Error("Confirmed")
	}
}

func TestClosingNothing(t *testing.T) {
	if err := (*fetchers.Resource)(nil).Close(); err != nil {
		t.Error(err)
	}
	if err := new(fetchers.Resource).Close(); err != nil {
		t.Error(err)
	}
}

func TestEmptyBody(t *testing.T) {
	res := &fetchers.Resource{URL: parse(t, "ftp://h.example/x")}
	res.SetBody(nil)
	if n, err := io.Copy(io.Discard, res.Body); n != 0 || err != nil || !res.Confirmed() {
		t.Errorf("Copy = %d, %v, Confirmed = %v", n, err, res.Confirmed())
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

func TestOwnConfirmed(t *testing.T) {
	res := &fetchers.Resource{URL: parse(t, "gopher://h.example/"), Confirmed: func() bool { return false }}
	res.SetBody(nil)
	io.Copy(io.Discard, res.Body)
	if res.Confirmed() {
		t.Error("the Fetcher's own Confirmed was replaced")
	}
}

// TestCopyToFailingWriter: an error of the writer is not wrapped as one of the Body.
func TestCopyToFailingWriter(t *testing.T) {
	res, _ := body(t, strings.NewReader("content"))
	full := errors.New("disk full")
	n, err := res.Body.(io.WriterTo).WriteTo(writerFunc(func(p []byte) (int, error) { return 3, full }))
	if n != 3 || err != full {
		t.Errorf("WriteTo = %d, %v, want 3, %v", n, err, full)
	}
	if res.Confirmed() {
		t.Error("Confirmed")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestReceivedWhileReading is effective under the race detector only.
func TestReceivedWhileReading(t *testing.T) {
	res, _ := body(t, io.LimitReader(neverending('x'), 1<<20))
	done := make(chan error)
	go func() { _, err := io.Copy(io.Discard, res.Body); done <- err }()
	for last := int64(0); last < 1<<20; {
		now := res.Received()
		if now < last {
			t.Fatalf("Received went from %d to %d", last, now)
		}
		last = now
		res.Confirmed()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type neverending byte

func (c neverending) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

// TestEntries uses each byte of the Body as the name of an entry.
func TestEntries(t *testing.T) {
	names := func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			for p := make([]byte, 1); ; {
				_, err := body.Read(p)
				if err == io.EOF {
					return
				}
				if err != nil {
					yield(fetchers.Entry{}, err)
					return
				}
				if !yield(fetchers.Entry{Name: string(p)}, nil) {
					return
				}
			}
		}
	}
	read := func(res *fetchers.Resource) (all string) {
		for e, err := range res.Entries() {
			if err != nil {
				all += "!"
			}
			all += e.Name
		}
		return all
	}
	res, _ := body(t, strings.NewReader("abc"))
	res.Parse = names
	if got := read(res); got != "" {
		t.Errorf("a Document has the entries %q", got)
	}
	res.Kind = fetchers.Listing
	if got := read(res) + "|" + read(res); got != "abc|" {
		t.Errorf("entries twice are %q, want abc|", got)
	}
	res, _ = body(t, io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	res.Kind, res.Parse = fetchers.Listing, names
	if got := read(res); got != "ab!" {
		t.Errorf("entries of a listing that is cut short are %q, want ab!", got)
	}
	if got := read(&fetchers.Resource{Kind: fetchers.Listing}); got != "" {
		t.Errorf("a Listing without Parse has the entries %q", got)
	}
}

// endless is an endless listing.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestMaxListing: an endless listing ends at the limit.
func TestMaxListing(t *testing.T) {
	const entry = 1 << 20
	parts := func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			for p := make([]byte, entry); ; {
				_, err := body.Read(p)
				if !yield(fetchers.Entry{}, err) || err != nil {
					return
				}
			}
		}
	}
	for most, want := range map[int64]int{10 * entry: 10, 0: 256, 300 * entry: 300, -1: 400} {
		l := &fetchers.Limiter{MaxListing: most, Fetcher: fetchers.FetcherFunc(func(context.Context, *fetchers.Request) (*fetchers.Resource, error) {
			res := &fetchers.Resource{Kind: fetchers.Listing, Size: -1, Parse: parts, URL: parse(t, "gopher://h.dom/1")}
			res.SetBody(io.NopCloser(endless{}))
			return res, nil
		})}
		res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "gopher://h.dom/1")})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err = range res.Entries() {
			if err != nil || n == want && most < 0 {
				break
			}
			n++
		}
		if n != want || most >= 0 && !errors.Is(err, fetchers.ErrTooLarge) || most < 0 && err != nil {
			t.Errorf("with a limit of %d: %d entries, %v", most, n, err)
		}
		res.Close()
	}
}

// A wrapped Body counts its bytes once and closes its source once, whether it was set by SetBody,
// is empty, or is another Fetcher's own.
func TestWrapBody(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(res *fetchers.Resource, src io.ReadCloser)
		text string
	}{
		"of SetBody": {func(res *fetchers.Resource, src io.ReadCloser) { res.SetBody(src) }, "some content"},
		"empty":      {func(res *fetchers.Resource, _ io.ReadCloser) { res.SetBody(nil) }, ""},
		"of its own": {func(res *fetchers.Resource, src io.ReadCloser) { res.Body = src }, "some content"},
	} {
		t.Run(name, func(t *testing.T) {
			src := &source{Reader: strings.NewReader("some content")}
			res := &fetchers.Resource{URL: parse(t, "ftp://h.example/x"), Kind: fetchers.Document}
			test.set(res, src)
			var around *source
			res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
				around = &source{Reader: src}
				return around
			})
			got, err := io.ReadAll(res.Body)
			if string(got) != test.text || err != nil || res.Received() != int64(len(test.text)) || !res.Confirmed() {
				t.Errorf("%q, %v, Received = %d, Confirmed = %v", got, err, res.Received(), res.Confirmed())
			}
			res.Close()
			res.Close()
			if around.closed != 1 {
				t.Errorf("it was closed %d times", around.closed)
			}
		})
	}
}
