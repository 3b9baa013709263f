package url_test

import (
	"testing"
	"unicode"

	"github.com/seed1ea3422f/fetch/url"
)

// A character that is invisible, or changes the appearance of the text around it, is deceptive in
// any position. A joiner is deceptive unless it joins two characters.
func TestDeceptive(t *testing.T) {
	deceptive := func(s string) bool {
		before := rune(0)
		for _, r := range s {
			if url.Deceptive(before, r) {
				return true
			}
			before = r
		}
		return false
	}
	for _, s := range []string{
		"\x00", "\t", "\n", "\r", "\x1b", "\x7f", "\u0085", "\u009b",
		"soft\u00adhyphen", "a\u034fb", "a\u061cb", "\u115f", "\u1160", "\u17b4", "a\u180eb", "a\u200bb", "a\u200eb", "a\u2028b", "a\u2029b", "a\u202eb",
		"a\u2060b", "a\u2063b", "\u2065", "a\u2066b", "a\u206fb", "\u3164", "\ufeff", "a\ufeffb", "\uffa0", "\ufff0", "\ufff9", "\ufdd0", "\uffff",
		"\ue000", "\U000f0000", "\U0010fffd", "\U0001d173", "\U0001fffe", "\U000e0001", "a\U000e0041", "\U000e0100", "日\U000e0100", "\U000e0fff",
		"a\u200db", "a\u200cb", "É\u200d", "\u200d", "a\ufe0f", "\ufe0f", "1\ufe0f", "❤\ufe0f\ufe0f", "👩\u200d\u200d", "\u200c\u200c", "a\u180b", "\ufffd\u200d",
	} {
		if !deceptive(s) {
			t.Errorf("%+q is not deceptive", s)
		}
	}
	for _, s := range []string{
		"", "plain ~!", "café", "e\u0301", "日本語", "Ελλάδα", "עברית", "العربية", "a\u00a0b", "日\u3000本", "\ufffd",
		"می\u200cخواهم", "क्\u200dष", "❤\ufe0f", "👩\u200d👩\u200d👧", "👨🏽\u200d💻", "🏳\ufe0f\u200d🌈", "‼\ufe0f", "\u0600١", "\u06dd", "ᠠ\u180b",
	} {
		if deceptive(s) {
			t.Errorf("%+q is deceptive", s)
		}
	}
	for r := rune(' '); r < 0x80; r++ {
		if url.Deceptive(0, r) != unicode.IsControl(r) {
			t.Errorf("%q: %v", r, url.Deceptive(0, r))
		}
	}
}
