// Package httpfield parses HTTP header fields (RFC 9110), and masks them for a Trace.
package httpfield

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Words in names of fields that commonly contain secrets, and words before "key", "-key" or "_key" in such names.
// BenchmarkMasked takes 1.0 µs for five fields, and took 12.9 µs by a regular expression.
var (
	secretWords = []string{"auth", "token", "secret", "passw", "jwt", "credential", "session"}
	keyWords    = []string{"api", "app", "application", "access", "account", "private", "subscription"}
)

// isSecret reports whether a field commonly contains a secret. The name is in lower case.
func isSecret(name string) bool {
	if slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) }) {
		return true
	}
	return strings.Contains(name, "key") && slices.ContainsFunc(keyWords, func(word string) bool {
		return strings.Contains(name, word+"key") || strings.Contains(name, word+"-key") || strings.Contains(name, word+"_key")
	})
}

// Masked returns the value of a response field as a Trace shows it: secrets, by the name of the
// field, are ***. Characters that are invalid in a name are ignored in it.
func Masked(name, value string) string {
	name = strings.ToLower(strings.Map(token, name))
	switch name {
	case "authorization", "proxy-authorization":
		if scheme, _, ok := strings.Cut(value, " "); ok {
			return scheme + " ***"
		}
		return "***"
	case "cookie":
		cookies := strings.Split(value, "; ")
		for i, c := range cookies {
			cookies[i] = maskedCookie(c)
		}
		return strings.Join(cookies, "; ")
	case "set-cookie":
		cookie, attributes, more := strings.Cut(value, ";")
		if cookie = maskedCookie(cookie); more {
			return cookie + ";" + attributes
		}
		return cookie
	case "location", "content-location", "referer": // also if the value is no URL
		return url.Redact(value)
	case "www-authenticate", "proxy-authenticate", "authentication-info", "proxy-authentication-info":
		return value // a challenge is no secret
	}
	switch {
	case isSecret(name):
		return "***"
	case strings.Contains(value, "//"): // it contains a URL, as in Refresh or Link
		return url.Redact(value)
	}
	return value
}

func maskedCookie(c string) string {
	name, _, ok := strings.Cut(c, "=")
	if !ok {
		return "***"
	}
	return name + "=***"
}

// Got reports a response header to a Trace: its status line, and its fields sorted by name.
func Got(trace fetchers.Tracer, status string, fields map[string][]string) {
	if !trace.Lines() {
		return
	}
	trace.Got(status)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			trace.Got(name + ": " + Masked(name, value))
		}
	}
}
