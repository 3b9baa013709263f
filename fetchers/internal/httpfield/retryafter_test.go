package httpfield_test

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
)

// TestRetryAfter maps field values to waits.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the time is 1 January 2000, midnight UTC
		const never = time.Duration(math.MaxInt64)
		for _, c := range []struct {
			name  string
			field string
			want  time.Duration
		}{
			{"nothing", "", 0},
			{"seconds", "120", 2 * time.Minute},
			{"seconds between spaces", " 120 ", 2 * time.Minute},
			{"no second", "0", 0},
			{"leading zeros", "0120", 2 * time.Minute},
			{"a sign", "+5", 0},
			{"less than nothing", "-5", 0},
			{"a fraction", "1.5", 0},
			{"the longest Duration", "9223372036", 9223372036 * time.Second},
			{"longer than any Duration", "9223372037", never},
			{"more seconds than an integer has", "9223372036854775807", never},
			{"more digits than an integer has", "99999999999999999999", never},
			{"a date", "Sat, 01 Jan 2000 00:01:00 GMT", time.Minute},
			{"a date that has passed", "Fri, 31 Dec 1999 23:59:59 GMT", 0},
			{"a date of RFC 850", "Saturday, 01-Jan-00 00:01:00 GMT", time.Minute},
			{"a date of asctime", "Sat Jan  1 00:01:00 2000", time.Minute},
			{"a date in another zone", "Sat, 01 Jan 2000 00:01:00 CET", 0},
			{"words", "soon", 0},
		} {
			if got := httpfield.RetryAfter(http.Header{"Retry-After": {c.field}}); got != c.want {
				t.Errorf("%s: the wait is %v, want %v", c.name, got, c.want)
			}
		}
	})
}
