package httpauth

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	neturl "net/url"
	"strings"
	"sync/atomic"
)

// A digest answers a challenge of the scheme Digest (RFC 7616) for one session: a nonce of the
// server, a client nonce, and the count of their uses.
type digest struct {
	Challenge
	hash   func() hash.Hash
	cnonce string
	count  atomic.Uint32
}

// newDigest returns nil if c cannot be answered: because of its algorithm, or because its only
// quality of protection is auth-int, which needs a digest of bodies.
func newDigest(c Challenge, cnonce func() string) *digest {
	d := &digest{Challenge: c}
	if d.hash = d.hashes(); d.hash == nil {
		return nil
	}
	if _, qop := c.Params["qop"]; qop && !d.protects() || c.Params["nonce"] == "" {
		return nil
	}
	d.cnonce = cnonce()
	return d
}

// hashes returns the hash function of the algorithm, or nil if it is unknown.
func (d *digest) hashes() func() hash.Hash {
	switch strings.TrimSuffix(d.algorithm(), "-SESS") {
	case "SHA-256":
		return sha256.New
	case "SHA-512-256": // SHA-512/256 of FIPS 180-4; the example in RFC 7616 cuts off SHA-512 (erratum 4897)
		return sha512.New512_256
	case "MD5":
		return md5.New
	}
	return nil
}

// algorithm returns MD5 if the server names none (RFC 7616, section 3.3).
func (d *digest) algorithm() string {
	if a := d.Params["algorithm"]; a != "" {
		return strings.ToUpper(a)
	}
	return "MD5"
}

// protects reports whether the server supports qop=auth. A server without qop follows RFC 2069.
func (d *digest) protects() bool {
	for word := range strings.SplitSeq(d.Params["qop"], ",") {
		if strings.EqualFold(strings.TrimSpace(word), "auth") {
			return true
		}
	}
	return false
}

// h is H of RFC 7616: the hash of parts, joined by colons.
func (d *digest) h(parts ...string) string {
	h := d.hash()
	h.Write([]byte(strings.Join(parts, ":")))
	return hex.EncodeToString(h.Sum(nil))
}

// Answer returns the field Authorization for a request (RFC 7616, section 3.4).
func (d *digest) Answer(user, password, method, uri string) string {
	realm, nonce := d.Params["realm"], d.Params["nonce"]
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

	fields := []string{d.username(user), "realm=" + Quote(realm), "uri=" + Quote(uri)}
	if a := d.Params["algorithm"]; a != "" {
		fields = append(fields, "algorithm="+a)
	}
	fields = append(fields, "nonce="+Quote(nonce))
	if d.protects() {
		fields = append(fields, "nc="+nc, "cnonce="+Quote(d.cnonce), "qop=auth")
	}
	fields = append(fields, "response="+Quote(response))
	if opaque, ok := d.Params["opaque"]; ok {
		fields = append(fields, "opaque="+Quote(opaque))
	}
	if d.hashesUser() {
		fields = append(fields, "userhash=true")
	}
	return "Digest " + strings.Join(fields, ", ")
}

func (d *digest) hashesUser() bool { return strings.EqualFold(d.Params["userhash"], "true") }

// username returns the parameter with the user: hashed if the server requests that, and in the
// notation of RFC 8187 if it is not ASCII and the server supports UTF-8.
func (d *digest) username(user string) string {
	switch {
	case d.hashesUser():
		return "username=" + Quote(d.h(user, d.Params["realm"]))
	case strings.EqualFold(d.Params["charset"], "UTF-8") && strings.ContainsFunc(user, func(r rune) bool { return r > '~' }):
		return "username*=UTF-8''" + neturl.PathEscape(user)
	}
	return "username=" + Quote(user)
}

// Quote returns s as a quoted string (RFC 9110, section 5.6.4).
func Quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
