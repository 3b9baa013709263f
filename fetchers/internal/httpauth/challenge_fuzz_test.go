package httpauth

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"
)

// written are the parameters of a Digest answer.
var written = []string{"algorithm", "cnonce", "nc", "nonce", "opaque", "qop", "realm", "response", "uri", "userhash", "username", "username*"}

// A server cannot add anything to the answer to its challenge: neither a second field, nor a
// parameter, nor another user or URI.
func FuzzChallenges(f *testing.F) {
	for _, field := range []string{
		`Basic realm="a, b"`, "NTLM TlRMTVNTUAACAAAA", "Negotiate, NTLM",
		`Digest realm="r\", uri=\"/x", nonce="n\\", qop="auth-int,auth", opaque="o\", username=\"x", userhash=true`,
		`Digest nonce=n, algorithm="SHA-512-256-sess", charset=UTF-8`,
	} {
		f.Add(field)
	}
	f.Fuzz(func(t *testing.T, field string) {
		if !httpguts.ValidHeaderFieldValue(field) {
			return // net/http rejects the response
		}
		for _, c := range Challenges([]string{field}) {
			if len(c.String()) > 300 {
				t.Errorf("%q is shown as %q", field, c)
			}
			const user, uri = `j"o\e, uri="/z"`, `/a?b="c\"`
			s, _ := Strongest([]Challenge{c}, []string{"digest"}, user, func() string { return "NONCE" })
			if s == nil {
				continue
			}
			answer := s.Answer(user, "s3cret", "GET", uri)
			read := Challenges([]string{answer})
			if !httpguts.ValidHeaderFieldValue(answer) || strings.Contains(answer, "s3cret") && !strings.Contains(field, "s3cret") || len(read) != 1 {
				t.Fatalf("%q is answered by %q", field, answer)
			}
			got := read[0].Params
			for name := range got {
				if !slices.Contains(written, name) {
					t.Errorf("%q is answered by %q", field, answer)
				}
			}
			if got["uri"] != uri || got["nonce"] != c.Params["nonce"] || got["realm"] != c.Params["realm"] || got["opaque"] != c.Params["opaque"] {
				t.Errorf("%q is answered by %q", field, answer)
			}
			if !strings.EqualFold(c.Params["userhash"], "true") && got["username"] != user {
				t.Errorf("%q is answered by %q", field, answer)
			}
		}
	})
}
