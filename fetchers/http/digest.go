package http

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	neturl "net/url"
	"strings"
	"sync/atomic"
)

// A digest answers a challenge of the scheme Digest (RFC 7616) for one session:
// one nonce of the server and one of ours, and a count of their uses.
type digest struct {
	challenge
	hash   func() hash.Hash
	cnonce string
	count  atomic.Uint32
}

// newDigest returns nil if c is a challenge that cannot be answered: of another
// algorithm, or of no quality of protection but auth-int, which digests bodies.
func newDigest(c challenge, cnonce func() string) *digest {
	d := &digest{challenge: c}
	switch strings.TrimSuffix(d.algorithm(), "-SESS") {
	case "SHA-256":
		d.hash = sha256.New
	case "MD5":
		d.hash = md5.New
	default:
		return nil
	}
	if _, qop := c.params["qop"]; qop && !d.protects() || c.params["nonce"] == "" {
		return nil
	}
	d.cnonce = cnonce()
	return d
}

// algorithm is MD5 if the server does not say (RFC 7616, section 3.3).
func (d *digest) algorithm() string {
	if a := d.params["algorithm"]; a != "" {
		return strings.ToUpper(a)
	}
	return "MD5"
}

// protects reports whether the server knows qop=auth. One that names no quality
// of protection follows RFC 2069.
func (d *digest) protects() bool {
	for word := range strings.SplitSeq(d.params["qop"], ",") {
		if strings.EqualFold(strings.TrimSpace(word), "auth") {
			return true
		}
	}
	return false
}

// h is H of RFC 7616: the hash of parts with colons between them.
func (d *digest) h(parts ...string) string {
	h := d.hash()
	h.Write([]byte(strings.Join(parts, ":")))
	return hex.EncodeToString(h.Sum(nil))
}

// answer returns the field Authorization for a request (RFC 7616, section 3.4).
func (d *digest) answer(user, password, method, uri string) string {
	realm, nonce := d.params["realm"], d.params["nonce"]
	nc := fmt.Sprintf("%08x", d.count.Add(1))

	a1 := d.h(user, realm, password)
	if strings.HasSuffix(d.algorithm(), "-SESS") {
		a1 = d.h(a1, nonce, d.cnonce)
	}
	a2 := d.h(method, uri)
	response := d.h(a1, nonce, a2)
	if d.protects() {
		response = d.h(a1, nonce, nc, d.cnonce, "auth", a2)
	}

	fields := []string{d.username(user), "realm=" + quote(realm), "uri=" + quote(uri)}
	if a := d.params["algorithm"]; a != "" {
		fields = append(fields, "algorithm="+a)
	}
	fields = append(fields, "nonce="+quote(nonce))
	if d.protects() {
		fields = append(fields, "nc="+nc, "cnonce="+quote(d.cnonce), "qop=auth")
	}
	fields = append(fields, "response="+quote(response))
	if opaque, ok := d.params["opaque"]; ok {
		fields = append(fields, "opaque="+quote(opaque))
	}
	if d.hashesUser() {
		fields = append(fields, "userhash=true")
	}
	return "Digest " + strings.Join(fields, ", ")
}

func (d *digest) hashesUser() bool { return strings.EqualFold(d.params["userhash"], "true") }

// username writes the name of the user: hashed if the server likes to have it so,
// and in the notation of RFC 8187 if it is not ASCII and the server knows UTF-8.
func (d *digest) username(user string) string {
	switch {
	case d.hashesUser():
		return "username=" + quote(d.h(user, d.params["realm"]))
	case strings.EqualFold(d.params["charset"], "UTF-8") && strings.ContainsFunc(user, func(r rune) bool { return r > '~' }):
		return "username*=UTF-8''" + neturl.PathEscape(user)
	}
	return "username=" + quote(user)
}

// quote writes a quoted string (RFC 9110, section 5.6.4).
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
