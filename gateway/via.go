package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// viaName begins the name of a gateway in the field Via (RFC 9110, section 7.6.3).
const viaName = "fetch-"

// loop is the problem of a request that the gateway itself has sent.
var loop = &problem{status: http.StatusLoopDetected, reason: "The gateway is asked by itself."}

// viaKey is the key by which the program knows its own names.
var viaKey = []byte(rand.Text())

// newName returns a name for one request: servers cannot tell by it which requests come from the
// same gateway.
func newName() string {
	nonce := rand.Text()
	return viaName + nonce + "-" + signature(nonce)
}

// isOwnName reports whether newName has made a name.
func isOwnName(name string) bool {
	nonce, signed, _ := strings.Cut(strings.TrimPrefix(name, viaName), "-")
	return strings.HasPrefix(name, viaName) && hmac.Equal([]byte(signed), []byte(signature(nonce)))
}

func signature(nonce string) string {
	mac := hmac.New(sha256.New, viaKey)
	mac.Write([]byte(nonce))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// via returns the field for the request to a server: the way of the request up to here.
func (x *exchange) via() textproto.MIMEHeader {
	return textproto.MIMEHeader{"Via": append(slices.Clone(x.r.Header["Via"]), "1.1 "+newName())}
}

// looped reports whether the gateway itself has sent the request: a server can redirect it to
// itself, and a proxy of the environment can lead there.
func (x *exchange) looped() bool {
	words := strings.FieldsFunc(strings.Join(x.r.Header["Via"], ","), func(r rune) bool { return r == ' ' || r == ',' })
	return slices.ContainsFunc(words, isOwnName)
}
