package term

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The limits of an excerpt at a terminal.
const (
	excerptLines = 5
	excerptSize  = 400 // octets of text
)

// excerpt returns the first lines of the text that came with a refusal, without empty ones. If
// there is more, the last line is an ellipsis.
func excerpt(err error) (lines []string) {
	refused, ok := errors.AsType[*fetchers.StatusError](err)
	if !ok {
		return nil
	}
	text := refused.Excerpt
	more := len(text) >= fetchers.MaxExcerpt
	if len(text) > excerptSize {
		text, more = whole(text[:excerptSize]), true
	}
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), "\t", "  ")
		switch {
		case line == "":
		case len(lines) == excerptLines:
			return append(lines, "…")
		default:
			lines = append(lines, line)
		}
	}
	if more && lines != nil {
		lines = append(lines, "…")
	}
	return lines
}

// whole returns text without the beginning of a character at its end.
func whole(text string) string {
	for at := len(text) - 1; at >= 0 && at >= len(text)-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				return text[:at]
			}
			break
		}
	}
	return text
}
