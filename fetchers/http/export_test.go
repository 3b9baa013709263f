package http

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
)

// FileName returns the file name of a Content-Disposition field.
var FileName = fileName

// SetNonce makes f use the same client nonce in every Digest.
func (f *Fetcher) SetNonce(s string) { f.nonce = func() string { return s } }

// Known returns the number of accounts that f remembers.
func (f *Fetcher) Known() int { return len(f.known.known) }

// Challenges formats the challenges of the fields, with sorted parameters.
func Challenges(fields ...string) string {
	var all []string
	for _, c := range httpauth.Challenges(fields) {
		text := c.Scheme
		for _, name := range slices.Sorted(maps.Keys(c.Params)) {
			text += fmt.Sprintf(" %s=%s", name, c.Params[name])
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

// DigestAnswer answers a challenge.
func DigestAnswer(field, cnonce, user, password, method, uri string) string {
	nonce := func() string { return cnonce }
	d, _ := httpauth.Strongest(httpauth.Challenges([]string{field}), []string{"digest"}, user, nonce)
	return d.Answer(user, password, method, uri)
}

// StreamsOf returns the limit of streams of an HTTP/2 server that sends octets, which arrive in
// pieces, and whether its SETTINGS have arrived.
func StreamsOf(octets []byte, piece int) (int64, bool) {
	f := newFramed(nil)
	for p := range slices.Chunk(octets, piece) {
		f.take(p)
	}
	return f.streams.Load(), f.settings.Load()
}
