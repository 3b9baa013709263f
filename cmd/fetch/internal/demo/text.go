package demo

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// brief returns a line as it is shown: not too long, and visible.
func brief(line string) string {
	const width = 100
	if runes := []rune(line); len(runes) > width {
		line = string(runes[:width-1]) + "…"
	}
	return visible(line)
}

// urlOf returns the URL of an entry without its password, or "-".
func urlOf(e *fetchers.Entry) string {
	if e.URL == nil {
		return "-"
	}
	open := *e.URL
	if e.URL.User != nil {
		open.User = &url.Userinfo{Name: e.URL.User.Name}
	}
	return open.Redacted()
}

// oneLine returns the text of an error in one line.
func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "fetch "), "\n", ": ")
}

// visible returns s for one line of text: with an escape for each deceptive character,
// and for each octet that is no UTF-8.
func visible(s string) string {
	var b strings.Builder
	before := rune(0)
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
			r = 0
		case url.Deceptive(before, r):
			b.WriteString(escaped(r))
			r = 0
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func escaped(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
