package term

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
		if got := Shortened(c.text, c.most); got != c.want {
			t.Errorf("Shortened(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// A text breaks between words, and each line begins at the same column.
func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		text      string
		at, width int
		want      string
	}{
		{"one two  three", 0, 0, "one two  three"},
		{"one two  three", 0, 7, "one two\nthree"},
		{"one two three", 4, 12, "one two\n    three"},
		{"unbreakable word", 2, 8, "unbreakable\n  word"},
		{"", 2, 8, ""},
	} {
		if got := Wrapped(c.text, c.at, c.width); got != c.want {
			t.Errorf("Wrapped(%q, %d, %d) = %q, want %q", c.text, c.at, c.width, got, c.want)
		}
	}
}

func TestHuman(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 102_348: "99.9 KiB", 102_399: "100 KiB",
		1_023_000: "999 KiB", 1_023_999: "1.0 MiB", 1 << 30: "1.0 GiB", 1 << 62: "4.0 EiB",
	} {
		if got := Human(n); got != want {
			t.Errorf("Human(%v) = %q, want %q", n, got, want)
		}
	}
}
