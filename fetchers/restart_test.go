package fetchers_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// TestRestartError: a Body that cannot be resumed ends in a RestartError, unless there are no
// retries, the Body is at its end, or the failure is permanent. Text and class are kept.
func TestRestartError(t *testing.T) {
	broken := io.ErrUnexpectedEOF
	for name, c := range map[string]struct {
		server  brittle
		retry   int
		restart bool
		err     error
	}{
		"nothing to prove it by":  {brittle{after: 10, err: broken}, 3, true, broken},
		"after a stall":           {brittle{after: 10, err: fetchers.ErrStalled}, 3, true, fetchers.ErrStalled},
		"a weak tag":              {brittle{have: fetchers.Validator{ETag: `W/"1"`}, after: 10, err: broken}, 3, true, broken},
		"a tag with a CR":         {brittle{have: fetchers.Validator{ETag: "\"1\r\""}, after: 10, err: broken}, 3, true, broken},
		"no ranges":               {brittle{have: tagged, after: 10, err: broken, noRanges: true}, 3, true, broken},
		"changed":                 {brittle{have: tagged, after: 10, err: broken, onAnswer: changedFrom(2)}, 3, true, fetchers.ErrChanged},
		"the rest is refused":     {brittle{have: tagged, after: 10, err: broken, refuse: &fetchers.StatusError{Reply: fetchers.Reply{Code: 400}}}, 3, true, broken},
		"it is missing":           {brittle{have: tagged, after: 10, err: broken, refuse: &fetchers.StatusError{Reply: fetchers.Reply{Code: 404}, Class: fs.ErrNotExist}}, 3, false, fs.ErrNotExist},
		"no patience":             {brittle{after: 10, err: broken}, 0, false, broken},
		"the end of the patience": {brittle{have: tagged, after: 0, err: broken}, 3, false, broken},
		"a permanent failure":     {brittle{after: 10, err: fetchers.ErrProtocol}, 3, false, fetchers.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := c.server
				server.content = alphabet
				u, _ := url.Parse("ftp://h.example/f")
				client := &fetchers.Client{Fetcher: &server, Retry: fetchers.Retry{Max: c.retry}}
				res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
				if err != nil {
					t.Fatal(err)
				}
				defer res.Close()
				_, err = io.ReadAll(res.Body)
				var restart *fetchers.RestartError
				if !errors.Is(err, c.err) || errors.As(err, &restart) != c.restart {
					t.Errorf("error %v (%T); want %v, to be begun again: %v", err, errors.Unwrap(err), c.err, c.restart)
				}
			})
		})
	}
}

// A Body may be restarted after any failure that Retry.When repeats requests after.
func TestRestartAsTheCallerWants(t *testing.T) {
	broken := fetchers.ErrCoding
	for name, server := range map[string]brittle{
		"nothing to prove it by": {after: 10, err: broken},
		"a tag":                  {have: tagged, after: 10, err: broken},
	} {
		for _, wanted := range []bool{true, false} {
			server.content = alphabet
			u, _ := url.Parse("ftp://h.example/f")
			client := &fetchers.Client{Fetcher: &server, Retry: fetchers.Retry{Max: 3, When: func(error) bool { return wanted }}}
			res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(res.Body)
			res.Close()
			var restart *fetchers.RestartError
			if !errors.Is(err, broken) || errors.As(err, &restart) != wanted {
				t.Errorf("%s: error %v (%T), to be begun again: %v", name, err, errors.Unwrap(err), wanted)
			}
		}
	}
}

// TestRestarts: there are as many further fetches as the Retry has retries, and none after its
// time; the Trace reports each.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		retry fetchers.Retry
		takes time.Duration
		want  int
	}{
		"by number": {fetchers.Retry{Max: 3}, time.Minute, 3},
		"by time":   {fetchers.Retry{Max: 9, Delay: time.Second, For: 150 * time.Second}, time.Minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := brittle{content: alphabet, after: 10, err: io.ErrUnexpectedEOF, onAnswer: func(int, *brittle) { time.Sleep(c.takes) }}
				u, _ := url.Parse("ftp://h.example/f")
				client := &fetchers.Client{Fetcher: &server, Retry: c.retry}
				var told []int
				ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Retry: func(_ context.Context, try int, _ time.Duration, _ error) { told = append(told, try) }})
				var restarts fetchers.Restarts
				var err error
				for err == nil {
					res, failed := client.Fetch(ctx, &fetchers.Request{URL: u})
					if failed != nil {
						t.Fatal(failed)
					}
					_, failed = io.ReadAll(res.Body)
					res.Close()
					err = restarts.Again(ctx, failed)
				}
				var tried *fetchers.TriedError
				if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &tried) || tried.Tries != c.want+1 || len(told) != c.want || len(server.ranges) != c.want+1 {
					t.Errorf("%v, after %d answers; told of %v; want %d further ones", err, len(server.ranges), told, c.want)
				}
			})
		})
	}
	var restarts fetchers.Restarts
	if err := restarts.Again(t.Context(), io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF {
		t.Errorf("no RestartError: %v", err)
	}
}

// TestRestartCause: the error of a file that changed each time, and broke off in the end, contains
// both causes.
func TestRestartCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &scripted{size: 1000, script: []step{{sends: 500}, {version: 2}, {version: 2, sends: 100}}}
		_, _, err := server.save(t.Context(), &fetchers.Client{Retry: fetchers.Retry{Max: 1}}, true)
		const want = "read http://h.example/f: unexpected EOF (after 3 tries); before that: resource changed after 500 bytes of it had been read"
		if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, fetchers.ErrChanged) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// TestRestartCanceled: cancellation ends the wait before a restart.
func TestRestartCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := brittle{content: alphabet, after: 10, err: io.ErrUnexpectedEOF}
		u, _ := url.Parse("ftp://h.example/f")
		client := &fetchers.Client{Fetcher: &server, Retry: fetchers.Retry{Max: 3, Delay: time.Hour}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		res, err := client.Fetch(ctx, &fetchers.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		_, err = io.ReadAll(res.Body)
		var restarts fetchers.Restarts
		if err := restarts.Again(ctx, err); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
