package http

import (
	"testing"
	"time"
)

// The date of a cookie is parsed in every form that RFC 6265, section 5.1.1 allows.
func TestCookieTime(t *testing.T) {
	const new1994 = "1994-11-06T08:49:37Z"
	for date, want := range map[string]string{
		"Sun, 06 Nov 1994 08:49:37 GMT":   new1994,
		"Sunday, 06-Nov-94 08:49:37 GMT":  new1994,
		"Sun Nov  6 08:49:37 1994":        new1994,
		"Sun, 06-Nov-1994 08:49:37 GMT":   new1994,
		"Sun Nov 6 08:49:37 GMT 1994":     new1994,
		"06 Nov 1994 08:49:37":            new1994,
		"1994 november 6th 8:49:37":       new1994,
		"08:49:37 GMT, 6/NOV/1994":        new1994,
		"Sun, 06 Nov 1994 08:49:37 +0500": new1994, // a zone is ignored
		"Thu Jan 1 00:00:00 GMT 1970":     "1970-01-01T00:00:01Z",
		"Thu, 01-Jan-70 00:00:01 GMT":     "1970-01-01T00:00:01Z",
		"Tue, 31 Dec 1601 23:59:59 GMT":   "1970-01-01T00:00:01Z",
		"Mon, 01 Jan 0001 00:00:00 GMT":   "2001-01-01T00:00:00Z",
		"Fri, 01 Jan 69 00:00:00 GMT":     "2069-01-01T00:00:00Z",
		"29 Feb 2024 0:0:0":               "2024-02-29T00:00:00Z",
		"29 Feb 2024 00:00:00x9":          "2024-02-29T00:00:00Z",

		"":                               "",
		"soon":                           "",
		"Sun, 06 Nov 1994":               "",
		"Sun, 06 Nov 1994 08:49 GMT":     "",
		"Nov 1994 08:49:37 GMT":          "",
		"Sun, 06 1994 08:49:37 GMT":      "",
		"Sun, 06 Nov 08:49:37 GMT":       "",
		"Sun, 06 Nov 1994 24:49:37 GMT":  "",
		"Sun, 06 Nov 1994 08:60:37 GMT":  "",
		"Sun, 06 Nov 1994 08:49:60 GMT":  "",
		"Sun, 06 Nov 1994 008:49:37 GMT": "",
		"Sun, 06 Nov 1994 08:x9:37 GMT":  "",
		"Sun, 06 Nov 1994 :49:37 GMT":    "",
		"Sun, 00 Nov 1994 08:49:37 GMT":  "",
		"Sun, 32 Nov 1994 08:49:37 GMT":  "",
		"29 Feb 2023 00:00:00":           "",
		"Sun, 06 Nov 19940 08:49:37 GMT": "",
		"Sun, 06 Nov 1600 08:49:37 GMT":  "",
		"Sun, 06 Nox 1994 08:49:37 GMT":  "",
		"Sun,\x0006\x00Nov 1994 8:49:37": "",
	} {
		got := ""
		if read, ok := cookieTime(date); ok {
			got = read.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", date, got, want)
		}
	}
}
