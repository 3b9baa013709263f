package fetchers_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// sending returns a Fetcher of a Body with an announced size.
func sending(body io.Reader, size int64) fetchers.Fetcher {
	return fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: size}
		res.SetBody(io.NopCloser(body))
		return res, nil
	})
}

func TestLimiterSize(t *testing.T) {
	for name, test := range map[string]struct {
		announced int64
		limit     int64
		want      error
	}{
		"as large as may be":  {10, 10, nil},
		"announced as larger": {11, 10, fetchers.ErrTooLarge},
		"not announced":       {-1, 9, fetchers.ErrTooLarge},
		"announced as less":   {5, 9, fetchers.ErrTooLarge},
		"no limit":            {10, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fetchers.Limiter{Fetcher: sending(strings.NewReader("0123456789"), test.announced), MaxSize: test.limit}
			res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
			if err == nil {
				defer res.Close()
				var got []byte
				got, err = io.ReadAll(res.Body)
				if err == nil && string(got) != "0123456789" {
					t.Errorf("got %q", got)
				}
			}
			if !errors.Is(err, test.want) {
				t.Errorf("error = %v, want %v", err, test.want)
			}
		})
	}
}

// Only the bytes of the Body count, not the size of the whole resource.
func TestLimiterSizeOfBodies(t *testing.T) {
	for name, test := range map[string]struct {
		res  *fetchers.Resource
		want error
	}{
		"unchanged":                {&fetchers.Resource{Kind: fetchers.Unchanged, Size: 4 << 20}, nil},
		"a range at the end":       {&fetchers.Resource{Kind: fetchers.Document, Size: 4 << 20, Range: fetchers.Range{Offset: 4 << 20}}, nil},
		"a range to the end":       {&fetchers.Resource{Kind: fetchers.Document, Size: 4 << 20, Range: fetchers.Range{Offset: 4<<20 - 10}}, nil},
		"a large range to the end": {&fetchers.Resource{Kind: fetchers.Document, Size: 4 << 20, Range: fetchers.Range{Offset: 4<<20 - 11}}, fetchers.ErrTooLarge},
		"a range":                  {&fetchers.Resource{Kind: fetchers.Document, Size: 4 << 20, Range: fetchers.Range{Length: 10}}, nil},
		"a large range":            {&fetchers.Resource{Kind: fetchers.Document, Size: 4 << 20, Range: fetchers.Range{Length: 11}}, fetchers.ErrTooLarge},
		"of unknown size":          {&fetchers.Resource{Kind: fetchers.Document, Size: -1, Range: fetchers.Range{Offset: 5}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fetchers.Limiter{MaxSize: 10, Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
				test.res.URL = req.URL
				test.res.SetBody(nil)
				return test.res, nil
			})}
			res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
			if err == nil {
				_, err = io.ReadAll(res.Body)
				res.Close()
			}
			if !errors.Is(err, test.want) {
				t.Errorf("error = %v, want %v", err, test.want)
			}
		})
	}
}

// TestLimiterRate: two Bodies share the rate, and Close ends a wait.
func TestLimiterRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fetchers.Limiter{Rate: 100}
		begin := time.Now()
		done := make(chan error)
		for range 2 {
			l.Fetcher = sending(strings.NewReader(strings.Repeat("x", 1000)), 1000)
			res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				n, err := io.Copy(io.Discard, res.Body)
				if n != 1000 && err == nil {
					err = io.ErrUnexpectedEOF
				}
				res.Close()
				done <- err
			}()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(begin); took < 19*time.Second || took > 21*time.Second {
			t.Errorf("2000 bytes at 100 a second took %v", took)
		}

		l.Fetcher = sending(strings.NewReader(strings.Repeat("x", 100_000)), -1)
		res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { res.Close() })
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Error("it was read to its end")
		}
	})
}

// A drip sends one byte at a time.
type drip struct {
	every time.Duration
	left  int
}

func (d *drip) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	d.left--
	time.Sleep(d.every)
	p[0] = 'x'
	return 1, nil
}

func TestLimiterLeast(t *testing.T) {
	for name, test := range map[string]struct {
		every time.Duration
		want  error
	}{
		"drips": {time.Second, fetchers.ErrStalled},
		"flows": {100 * time.Millisecond, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &fetchers.Limiter{Fetcher: sending(&drip{test.every, 1000}, 1000), Least: 5, Span: 10 * time.Second}
				res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
				if err != nil {
					t.Fatal(err)
				}
				defer res.Close()
				if _, err := io.ReadAll(res.Body); !errors.Is(err, test.want) {
					t.Errorf("error = %v, want %v", err, test.want)
				}
			})
		})
	}
}

// Time between calls of Read, and time that the Limiter waits for its Rate, does not count for the
// server. Bytes that arrive meanwhile count when they are read.
func TestLimiterLeastOfTheServer(t *testing.T) {
	for name, test := range map[string]struct {
		body  io.Reader
		rate  int64
		pause time.Duration // of the caller, before each Read
		want  error
	}{
		"a slow reader":              {strings.NewReader(strings.Repeat("x", 1000)), 0, 12 * time.Second, nil},
		"a slow Rate":                {strings.NewReader(strings.Repeat("x", 1000)), 10, 0, nil},
		"a slow server":              {&drip{time.Second, 1000}, 0, 0, fetchers.ErrStalled},
		"a slow server and Rate":     {&drip{time.Second, 1000}, 10, 0, fetchers.ErrStalled},
		"both slow":                  {&drip{time.Second, 1000}, 0, 12 * time.Second, fetchers.ErrStalled},
		"a slow reader, a good flow": {&drip{10 * time.Millisecond, 1000}, 0, 12 * time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &fetchers.Limiter{Fetcher: sending(test.body, 1000), Rate: test.rate, Least: 50, Span: 5 * time.Second}
				res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
				if err != nil {
					t.Fatal(err)
				}
				defer res.Close()
				for err == nil {
					time.Sleep(test.pause)
					_, err = res.Body.Read(make([]byte, 100))
				}
				if err == io.EOF {
					err = nil
				}
				if !errors.Is(err, test.want) {
					t.Errorf("error = %v, want %v", err, test.want)
				}
			})
		})
	}
}

// A server that sends nothing for a Span ends the Body.
func TestLimiterLeastOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		l := &fetchers.Limiter{Least: 50, Span: 5 * time.Second}
		l.Fetcher = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: 1000}
			res.SetBody(r)
			return res, nil
		})
		res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		go w.Write(make([]byte, 300)) // enough for the first Span
		begin := time.Now()
		n, err := io.Copy(io.Discard, res.Body)
		if !errors.Is(err, fetchers.ErrStalled) || n != 300 || time.Since(begin) > 11*time.Second {
			t.Errorf("%d octets, then %v after %v", n, err, time.Since(begin))
		}
	})
}

func TestLimiterKeepsErrors(t *testing.T) {
	l := &fetchers.Limiter{Fetcher: sending(iotest.ErrReader(io.ErrUnexpectedEOF), -1), MaxSize: 1, Rate: 1, Least: 1}
	res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) || res.Confirmed() {
		t.Errorf("error = %v, confirmed %v", err, res.Confirmed())
	}
}
