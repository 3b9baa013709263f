package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

var errBusy = fmt.Errorf("%w: busy", fetchers.ErrTemporary)

// failing is a Client whose server fails with each of errs in order, and then succeeds. The times
// of the attempts, from now on, are stored in at.
func failing(r fetchers.Retry, at *[]time.Duration, errs ...error) *fetchers.Client {
	start := time.Now()
	return &fetchers.Client{Retry: r, Fetcher: fetchers.FetcherFunc(
		func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			*at = append(*at, time.Since(start))
			if n := len(*at); n <= len(errs) {
				return nil, fetchers.NewError("fetch", req.URL, errs[n-1])
			}
			return document(ctx, req)
		})}
}

// TestRetryWaits checks that waits double from Min to Cap, and are shortened by a quarter at most.
func TestRetryWaits(t *testing.T) {
	for _, c := range []struct {
		name  string
		retry fetchers.Retry
		want  []time.Duration
	}{
		{"doubling up to the cap", fetchers.Retry{Max: 5, Min: time.Second, Cap: 5 * time.Second},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second}},
		{"the usual waits", fetchers.Retry{Max: 8},
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}},
		{"a cap below the least", fetchers.Retry{Max: 2, Min: time.Minute, Cap: time.Second},
			[]time.Duration{time.Second, time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at, traced []time.Duration
				busy := make([]error, len(c.want))
				for i := range busy {
					busy[i] = errBusy
				}
				ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Retry: func(_ context.Context, try int, wait time.Duration, err error) {
					traced = append(traced, wait)
					if try != len(traced) || !errors.Is(err, errBusy) {
						t.Errorf("traced try %d, %v", try, err)
					}
				}})
				res, err := failing(c.retry, &at, busy...).Get(ctx, "ftp://h.example/")
				if err != nil {
					t.Fatal(err)
				}
				res.Close()
				for i, want := range c.want {
					waited := at[i+1] - at[i]
					if waited > want || waited < want-want/4-1 || waited != traced[i] {
						t.Errorf("wait %d was %v and traced as %v, want %v or up to a quarter less", i+1, waited, traced[i], want)
					}
				}
			})
		})
	}
}

// TestJitter checks that waits differ.
func TestJitter(t *testing.T) {
	seen := make(map[time.Duration]bool)
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			var at []time.Duration
			res, err := failing(fetchers.Retry{Max: 1, Min: time.Second}, &at, errBusy).Get(t.Context(), "ftp://h.example/")
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
			if wait := at[1]; wait > time.Second || wait < 3*time.Second/4 {
				t.Fatalf("the wait is %v", wait)
			}
			seen[at[1]] = true
		}
	})
	if len(seen) < 50 {
		t.Errorf("only %d different waits in 100", len(seen))
	}
}

func TestRetryOrNot(t *testing.T) {
	asks := func(wait time.Duration) error {
		return &fetchers.StatusError{Reply: fetchers.Reply{Code: 503}, Class: fetchers.ErrTemporary, Wait: wait}
	}
	three := fetchers.Retry{Max: 3, Min: time.Second, Cap: 10 * time.Second}
	always, never := three, three
	always.When = func(error) bool { return true }
	never.When = func(error) bool { return false }
	tried := &fetchers.TriedError{Tries: 4, Err: errBusy}
	for _, c := range []struct {
		name  string
		retry fetchers.Retry
		errs  []error
		tries int
		ok    bool
		said  int // attempts that the error reports; 0 if it is no TriedError
	}{
		{"no patience", fetchers.Retry{}, []error{errBusy}, 1, false, 0},
		{"success ends it", three, []error{errBusy}, 2, true, 0},
		{"it gives up in the end", three, []error{errBusy, errBusy, errBusy, errBusy}, 4, false, 4},
		{"a plain error is not temporary", three, []error{errors.New("odd")}, 1, false, 0},
		{"a missing resource is not temporary", three, []error{fs.ErrNotExist}, 1, false, 0},
		{"a blocked address is not temporary", three, []error{fetchers.ErrBlocked}, 1, false, 0},
		{"a refused login is not temporary", three, []error{fetchers.ErrLogin}, 1, false, 0},
		{"the last error may be of another kind", three, []error{errBusy, fs.ErrNotExist}, 2, false, 2},
		{"any failure, if the caller wants that", always, []error{errors.New("odd"), fs.ErrNotExist, errBusy}, 4, true, 0},
		{"any failure is repeated as often as others", always, []error{fs.ErrNotExist, fs.ErrNotExist, fs.ErrNotExist, fs.ErrNotExist}, 4, false, 4},
		{"no failure, if the caller wants that", never, []error{errBusy}, 1, false, 0},
		{"a TriedError is not retried, whatever When returns", always, []error{tried}, 1, false, 4},
		{"a TriedError is not retried", three, []error{tried}, 1, false, 4},
		{"a server may ask for a longer wait", three, []error{asks(9 * time.Second)}, 2, true, 0},
		{"but not for too long a one", three, []error{asks(11 * time.Second)}, 1, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				res, err := failing(c.retry, &at, c.errs...).Get(t.Context(), "ftp://h.example/")
				if len(at) != c.tries || (err == nil) != c.ok {
					t.Fatalf("%v after %d tries, want success: %v after %d", err, len(at), c.ok, c.tries)
				}
				if c.ok {
					res.Close()
					return
				}
				if last := c.errs[c.tries-1]; !errors.Is(err, last) {
					t.Errorf("error = %v, want the last one, %v", err, last)
				}
				var tried *fetchers.TriedError
				if errors.As(err, &tried); tried == nil && c.said != 0 || tried != nil && tried.Tries != c.said {
					t.Errorf("error = %v, want it to tell of %d tries", err, c.said)
				}
			})
		})
	}
}

func TestServerAsksForWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		busy := &fetchers.StatusError{Class: fetchers.ErrTemporary, Wait: 9 * time.Second}
		res, err := failing(fetchers.Retry{Max: 1, Min: time.Second}, &at, busy).Get(t.Context(), "ftp://h.example/")
		if err != nil || at[1] != 9*time.Second {
			t.Errorf("%v, tried at %v, want exactly after 9s", err, at)
		}
		res.Close()
	})
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var at []time.Duration
		start := time.Now()
		_, err := failing(fetchers.Retry{Max: 1, Min: time.Hour, Cap: time.Hour}, &at, errBusy).Get(ctx, "ftp://h.example/")
		var e *fetchers.Error
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &e) || e.URL != "ftp://h.example/" {
			t.Errorf("error = %v", err)
		}
		if waited := time.Since(start); waited != time.Minute || len(at) != 1 {
			t.Errorf("%d tries in %v, want one and a minute", len(at), waited)
		}
	})
}

// TestRetryNoFail checks that a Client repeats a request with NoFail after the same refusals as
// without, reports each to the Trace, closes each answer except the last, and returns the last.
func TestRetryNoFail(t *testing.T) {
	const always = 9 // retries, after any failure
	busy, missing := refusal(503, fetchers.ErrTemporary), refusal(404, fs.ErrNotExist)
	for _, c := range []struct {
		name     string
		max      int
		answers  []any // refusals with their bodies, or errors
		requests int
		err      string // "" if the last answer is returned
	}{
		{"no retries", 0, []any{busy}, 1, ""},
		{"it passes", 3, []any{busy, busy, nil}, 3, ""},
		{"it does not pass", 2, []any{busy, busy, busy, nil}, 3, ""},
		{"a missing resource is not temporary", 3, []any{missing, nil}, 1, ""},
		{"the last refusal may be of another kind", 3, []any{busy, missing, nil}, 2, ""},
		{"a failure among refusals", 3, []any{busy, errBusy, nil}, 3, ""},
		{"the last failure is none of the server", 3, []any{busy, errors.New("odd")}, 2, "fetch http://h.example/: odd (after 2 tries)"},
		{"an answer is none of the failures that When adds", always, []any{missing, nil}, 1, ""},
		{"a failure without an answer is one", always, []any{errors.New("odd"), busy, nil}, 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var bodies []*answerBody
				told, requests := 0, 0
				retry := fetchers.Retry{Max: c.max}
				if c.max == always {
					retry.When = func(error) bool { return true }
				}
				client := &fetchers.Client{Retry: retry, Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					requests++
					res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1}
					switch answer := c.answers[requests-1].(type) {
					case *fetchers.StatusError:
						res.Reply, res.Refusal = answer.Reply, answer
					case error:
						return nil, fetchers.NewError("fetch", req.URL, answer)
					}
					b := &answerBody{Reader: strings.NewReader("body")}
					bodies = append(bodies, b)
					res.SetBody(b)
					return res, nil
				})}
				ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
					Retry: func(_ context.Context, try int, _ time.Duration, err error) {
						if told++; try != told || !errors.Is(err, fetchers.ErrTemporary) && c.max != always {
							t.Errorf("told of try %d, want %d, after %v", try, told, err)
						}
					},
				})
				res, err := client.Fetch(ctx, &fetchers.Request{URL: parse(t, "http://h.example/"), NoFail: true})
				if requests != c.requests || told != c.requests-1 {
					t.Errorf("%d requests, told of %d more; want %d", requests, told, c.requests)
				}
				if err != nil || c.err != "" {
					if err == nil || err.Error() != c.err {
						t.Errorf("error %v, want %q", err, c.err)
					}
					return
				}
				last := bodies[len(bodies)-1]
				for _, b := range bodies {
					if b.closed != (b != last) || (b.Len() == 0) != b.closed {
						t.Errorf("an answer is closed: %v, with %d octets unread", b.closed, b.Len())
					}
				}
				if body, err := io.ReadAll(res.Body); err != nil || string(body) != "body" {
					t.Errorf("%q, %v", body, err)
				}
				res.Close()
			})
		})
	}
}

// An answerBody records its Close.
type answerBody struct {
	*strings.Reader
	closed bool
}

func (b *answerBody) Close() error {
	b.closed = true
	return nil
}

func refusal(code int, class error) *fetchers.StatusError {
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: code}, Class: class}
}

// TestRefusalDrips checks that a Client waits at most a second for the rest of an unwanted answer,
// and reads little of it.
func TestRefusalDrips(t *testing.T) {
	for name, body := range map[string]func() io.ReadCloser{
		"for ever": func() io.ReadCloser { return io.NopCloser(endless{}) },
		"never":    func() io.ReadCloser { r, _ := io.Pipe(); return r },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests, begin := 0, time.Now()
				client := &fetchers.Client{Retry: fetchers.Retry{Max: 1, Delay: time.Minute}, Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					if requests++; requests > 1 {
						return document(ctx, req)
					}
					res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Refusal: refusal(503, fetchers.ErrTemporary)}
					res.SetBody(body())
					return res, nil
				})}
				res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.example/"), NoFail: true})
				if took := time.Since(begin); err != nil || requests != 2 || took > time.Minute+time.Second {
					t.Errorf("%v after %d requests in %v", err, requests, took)
				}
				res.Close()
			})
		})
	}
}

func TestTriedErrorText(t *testing.T) {
	err := &fetchers.TriedError{Tries: 3, Err: errBusy}
	if got, want := err.Error(), "temporary failure: busy (after 3 tries)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
