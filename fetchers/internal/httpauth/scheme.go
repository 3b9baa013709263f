// Package httpauth answers the challenges of HTTP servers and proxies: Basic, Digest and NTLM.
package httpauth

import (
	"encoding/base64"
	"slices"
	"strings"
)

// A Scheme answers challenges of one scheme of authentication, with the parameters of a challenge.
type Scheme interface {
	// Answer returns the field Authorization, or Proxy-Authorization, for a
	// request.
	Answer(user, password, method, uri string) string
}

// Basic answers a challenge of the scheme Basic (RFC 7617).
type Basic struct{}

// Answer returns user and password in base64, which is not encrypted.
func (Basic) Answer(user, password, _, _ string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// Strongest returns a Scheme for the strongest challenge, and that challenge: Digest with SHA-256
// or SHA-512/256, Digest with MD5, NTLM, Basic. Schemes that are not in allowed are skipped. It
// returns nil if there is none. cnonce makes client nonces.
func Strongest(offered []Challenge, allowed []string, user string, cnonce func() string) (best Scheme, from Challenge) {
	most := 0
	for _, c := range offered {
		if !slices.Contains(allowed, c.Scheme) {
			continue
		}
		var s Scheme
		rank := 0
		switch c.Scheme {
		case "digest":
			if d := newDigest(c, cnonce); d != nil {
				s, rank = d, 3
				if strings.HasPrefix(d.algorithm(), "SHA") {
					rank = 4
				}
			}
		case "ntlm":
			s, rank = NTLM{}, 2
		case "basic":
			if !strings.Contains(user, ":") { // a colon would end the user
				s, rank = Basic{}, 1
			}
		}
		if rank > most {
			best, from, most = s, c, rank
		}
	}
	return best, from
}
