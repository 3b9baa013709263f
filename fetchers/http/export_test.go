package http

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FileName is what a Content-Disposition suggests.
var FileName = fileName

// SetNonce makes f use the same client nonce in every Digest.
func (f *Fetcher) SetNonce(s string) { f.nonce = func() string { return s } }

// Known returns how many accounts f remembers.
func (f *Fetcher) Known() int { return len(f.known.known) }

// Challenges returns what the fields say, with sorted parameters.
func Challenges(fields ...string) string {
	var all []string
	for _, c := range challenges(fields) {
		text := c.scheme
		for _, name := range slices.Sorted(maps.Keys(c.params)) {
			text += fmt.Sprintf(" %s=%s", name, c.params[name])
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

// DigestAnswer answers a challenge.
func DigestAnswer(field, cnonce, user, password, method, uri string) string {
	d := newDigest(challenges([]string{field})[0], func() string { return cnonce })
	return d.answer(user, password, method, uri)
}
