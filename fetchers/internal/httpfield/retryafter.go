package httpfield

import (
	"net/http"
	"strings"
	"time"
)

// RetryAfter reads the field Retry-After, seconds or a date (RFC 9110, section 10.2.3). It
// returns 0 without one. A wait too long for a Duration is cut to the longest there is.
func RetryAfter(h http.Header) time.Duration {
	s := strings.TrimSpace(h.Get("Retry-After"))
	if s == "" {
		return 0
	}
	if strings.Trim(s, "0123456789") == "" {
		d, err := time.ParseDuration(s + "s")
		if err != nil {
			return 1<<63 - 1
		}
		return d
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}
