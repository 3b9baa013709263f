package http

import (
	"context"
	"errors"
	"io"
	"math"
	nethttp "net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestMayPass holds the statuses that may pass beside those that the library repeats.
func TestMayPass(t *testing.T) {
	corrected := map[int]bool{408: true, 425: true} // to what
	for status := 505; status < 1000; status++ {
		corrected[status] = false
	}
	temporary := map[int]bool{408: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true}
	for status := 100; status < 1000; status++ {
		library, _ := retryablehttp.DefaultRetryPolicy(t.Context(), &nethttp.Response{StatusCode: status}, nil)
		to, isCorrected := corrected[status]
		if mayPass(status) != temporary[status] {
			t.Errorf("%d may pass: %v", status, mayPass(status))
		}
		if (library != temporary[status]) != isCorrected || isCorrected && to != temporary[status] {
			t.Errorf("%d: the library says %v, and that is corrected: %v", status, library, isCorrected)
		}
		if class := classOf(status); errors.Is(class, fetchers.ErrTemporary) != temporary[status] {
			t.Errorf("%d has the class %v", status, class)
		}
	}
}

// TestFailure holds the failures that may pass beside those that the library repeats.
func TestFailure(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name      string
		ctx       context.Context
		err       error
		library   bool
		temporary bool
	}{
		{"silence", t.Context(), fetchers.ErrStalled, true, true},
		{"the end of a connection before an answer", t.Context(), errNoAnswer, true, true},
		{"silence, and the caller has gone", gone, fetchers.ErrStalled, false, false},
		{"an address that is forbidden", t.Context(), fetchers.ErrBlocked, true, false},
		{"an answer that makes no sense", t.Context(), fetchers.ErrProtocol, true, false},
		{"no agreement on TLS", t.Context(), fetchers.ErrTLS, true, false},
		{"a request that cannot be sent", t.Context(), errUnsendable, true, false},
		{"any other", t.Context(), io.ErrUnexpectedEOF, true, false},
	} {
		library, _ := retryablehttp.DefaultRetryPolicy(c.ctx, nil, c.err)
		err := failure(c.ctx, c.err)
		if library != c.library || errors.Is(err, fetchers.ErrTemporary) != c.temporary || !errors.Is(err, c.err) {
			t.Errorf("%s: the library says %v; %v is temporary: %v", c.name, library, err, errors.Is(err, fetchers.ErrTemporary))
		}
	}
}

// TestRetryAfter holds the waits that servers ask for beside those that the library reads.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where it is 1 January 2000, midnight in UTC
		const never = time.Duration(math.MaxInt64)
		for _, c := range []struct {
			name    string
			field   string
			library time.Duration
			want    time.Duration
		}{
			{"nothing", "", 0, 0},
			{"seconds", "120", 2 * time.Minute, 2 * time.Minute},
			{"seconds between spaces", " 120 ", 0, 2 * time.Minute},
			{"no second", "0", 0, 0},
			{"leading zeros", "0120", 2 * time.Minute, 2 * time.Minute},
			{"a sign", "+5", 5 * time.Second, 0},
			{"less than nothing", "-5", 0, 0},
			{"a fraction", "1.5", 0, 0},
			{"the longest Duration", "9223372036", 9223372036 * time.Second, 9223372036 * time.Second},
			{"longer than any Duration", "9223372037", -9223372036709551616, never},
			{"more seconds than an integer has", "9223372036854775807", -time.Second, never},
			{"more digits than an integer has", "99999999999999999999", 0, never},
			{"a date", "Sat, 01 Jan 2000 00:01:00 GMT", time.Minute, time.Minute},
			{"a date that has passed", "Fri, 31 Dec 1999 23:59:59 GMT", 0, 0},
			{"a date of RFC 850", "Saturday, 01-Jan-00 00:01:00 GMT", 0, time.Minute},
			{"a date of asctime", "Sat Jan  1 00:01:00 2000", 0, time.Minute},
			{"a date in another zone", "Sat, 01 Jan 2000 00:01:00 CET", time.Minute, 0},
			{"words", "soon", 0, 0},
		} {
			for _, status := range []int{429, 503, 403} {
				resp := &nethttp.Response{StatusCode: status, Header: nethttp.Header{"Retry-After": {c.field}}}
				library := c.library
				if status == 403 {
					library = 0
				}
				if got := retryablehttp.DefaultBackoff(0, 0, 0, resp); got != library {
					t.Errorf("%s, %d: the library waits %v, want %v", c.name, status, got, library)
				}
				if got := retryAfter(resp.Header); got != c.want {
					t.Errorf("%s, %d: the wait is %v, want %v", c.name, status, got, c.want)
				}
			}
		}
	})
}
