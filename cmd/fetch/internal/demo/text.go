package demo

import (
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// brief returns a line as it is shown: not too long, and visible.
func brief(line string) string {
	const width = 100
	if runes := []rune(line); len(runes) > width {
		line = string(runes[:width-1]) + "…"
	}
	return term.Visible(line)
}

// urlOf returns the URL of an entry without its password, or "-".
func urlOf(e *fetchers.Entry) string {
	if e.URL == nil {
		return "-"
	}
	return e.URL.WithoutPassword().Redacted()
}
