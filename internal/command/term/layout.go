package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// Width returns how many columns of a terminal text takes.
func Width(text string) int { return runewidth.StringWidth(text) }

// Shortened returns text with less of its middle if it is wider than most columns:
// names that are alike differ at their end. The least that is left has 3 columns.
func Shortened(text string, most int) string {
	width := Width(text)
	if width <= most {
		return text
	}
	const gap = "…"
	most = max(most, 3) - Width(gap)
	head := runewidth.Truncate(text, most/2, "")
	return head + runewidth.TruncateLeft(text, width-(most-Width(head)), gap)
}

// Wrapped breaks text between words, so that it stays within width if it begins at
// column at. The other lines of it begin at the same column. If width is 0, Wrapped
// returns text as it is.
func Wrapped(text string, at, width int) string {
	if width == 0 {
		return text
	}
	var b strings.Builder
	column := at
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == at:
		case column+1+Width(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", at))
			column = at
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += Width(word)
	}
	return b.String()
}

// Span is a duration in few characters, for people.
func Span(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Human returns a number of bytes for people, in eight columns at most.
func Human(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for limit := 1024.0; n >= limit && i < len(units)-1; limit = 999.5 {
		n /= 1024
		i++
	}
	if i == 0 || n >= 99.95 {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}
