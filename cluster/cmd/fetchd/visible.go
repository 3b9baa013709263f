package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/seed1ea3422f/fetch/url"
)

// visible returns text with escapes in place of control characters, and of those that deceive at a
// terminal. Servers and strangers have a hand in it.
func visible(text string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || url.Deceptive(before, r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}
