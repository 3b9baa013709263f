package main

import "testing"

// A text that is too wide loses its middle, and never half a character.
func TestShortened(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"shorter", 6, "sh…ter"},
		{"a-name-1.0.tar.gz", 11, "a-nam…ar.gz"},
		{"日本語日本語", 12, "日本語日本語"},
		{"日本語日本語", 7, "日…本語"},
		{"e\u0301te\u0301", 3, "e\u0301te\u0301"},
		{"anything", 0, "a…g"},
	} {
		if got := shortened(c.text, c.most); got != c.want {
			t.Errorf("shortened(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestHuman(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 102_348: "99.9 KiB", 102_399: "100 KiB",
		1_023_000: "999 KiB", 1_023_999: "1.0 MiB", 1 << 30: "1.0 GiB", 1 << 62: "4.0 EiB",
	} {
		if got := human(n); got != want {
			t.Errorf("human(%v) = %q, want %q", n, got, want)
		}
	}
}
