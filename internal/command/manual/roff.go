package manual

import (
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// A roff is a text for man(1).
type roff struct{ strings.Builder }

// macro writes a line that is a request to roff.
func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, a := range args {
		r.WriteString(" " + argument(a))
	}
	r.WriteString("\n")
}

// title begins a page of section 1. The hyphens of day are not escaped, as they need not be copied.
func (r *roff) title(name, day, version string) {
	r.WriteString(".TH " + argument(strings.ToUpper(name)) + ` 1 "` + day + `" ` + argument(version) + "\n")
}

func (r *roff) heading(title string)    { r.macro("SH", title) }
func (r *roff) subheading(title string) { r.macro("SS", title) }
func (r *roff) bold(text string)        { r.macro("B", text) }

// text writes paragraphs.
func (r *roff) text(prose string) {
	for i, paragraph := range strings.Split(prose, "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		if paragraph != "" {
			r.lines(paragraph)
		}
	}
}

// lines writes a paragraph.
func (r *roff) lines(paragraph string) {
	for line := range strings.SplitSeq(term.Wrapped(paragraph, 0, 70), "\n") {
		r.WriteString(escaped(line) + "\n")
	}
}

// items writes items and their meanings.
func (r *roff) items(items []Item) {
	for _, i := range items {
		r.macro("TP")
		r.bold(i.Name)
		r.lines(i.Text)
	}
}

// argument returns text as one argument of a macro.
func argument(text string) string {
	return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"`
}

// escaped returns a line of text without requests to roff, and with hyphens that can be copied.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
