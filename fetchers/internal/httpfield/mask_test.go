package httpfield

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzSecret compares the search for words with a regular expression for the same names.
func FuzzSecret(f *testing.F) {
	for _, name := range []string{
		"X-Api-Key", "x_apikey", "X-Application_Key", "Api--Key", "keyapi", "Key", "X-Auth", "authority", "x-amz-security-token",
		"Subscription-Key-Key", "account key", "Session", "Date", "passw", "jwt", "access-key-x", "private", "\u212aey-api\u212aey", "\u017fecret",
	} {
		f.Add(name)
	}
	want := regexp.MustCompile(`(?i)auth|token|secret|passw|jwt|credential|session|(api|app|application|access|account|private|subscription)[-_]?key`)
	f.Fuzz(func(t *testing.T, name string) {
		name = strings.Map(token, name)
		if got := Masked(name, "value") == "***"; got != want.MatchString(name) && !knownField[strings.ToLower(name)] {
			t.Errorf("%q is a secret: %v, want %v", name, got, !got)
		}
	})
}

// Fields with a rule of their own.
var knownField = map[string]bool{
	"authorization": true, "proxy-authorization": true, "cookie": true, "set-cookie": true, "location": true, "content-location": true, "referer": true,
	"www-authenticate": true, "proxy-authenticate": true, "authentication-info": true, "proxy-authentication-info": true,
}

func BenchmarkMasked(b *testing.B) {
	for b.Loop() {
		for _, name := range []string{"date", "content-type", "content-length", "last-modified", "x-monkey"} {
			Masked(name, "value")
		}
	}
}
