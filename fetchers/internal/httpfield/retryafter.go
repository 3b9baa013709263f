package httpfield

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// RetryAfter returns the wait in the field Retry-After of a refusal, which is seconds or a date
// (RFC 9110, section 10.2.3). It returns 0 without the field. A wait beyond the range of a Duration
// is the longest Duration.
func RetryAfter(h http.Header) time.Duration {
	field := strings.TrimSpace(h.Get("Retry-After"))
	if date, err := http.ParseTime(field); err == nil {
		return max(0, time.Until(date))
	}
	if field == "" || strings.Trim(field, "0123456789") != "" {
		return 0
	}
	wait, err := time.ParseDuration(field + "s")
	if err != nil {
		return math.MaxInt64
	}
	return wait
}
