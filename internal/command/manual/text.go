package manual

import (
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// A Section is a part of the manual: prose, items and their meanings, or both. A title of ""
// is none. An empty line separates the paragraphs of prose.
type Section struct {
	Title string
	Prose string
	Items []Item
}

// An Item is a text to type, or a name, and its meaning.
type Item struct{ Name, Text string }

// Columns of a text for people.
const (
	meaningAt = 34  // where the meanings of flags begin
	measure   = 100 // the width of the widest line, on any terminal
)

// PlainText returns sections as text for people. Its lines have at most width columns, except for
// single words and for text to type, such as a command. If width is 0, it breaks no line.
func PlainText(sections []Section, width int) string {
	if width > 0 {
		width = min(width, measure)
	}
	var b strings.Builder
	for _, s := range sections {
		if s.Prose == "" && len(s.Items) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		s.write(&b, width)
	}
	return b.String()
}

// write writes a section.
func (s Section) write(b *strings.Builder, width int) {
	indent := ""
	if s.Title != "" {
		b.WriteString(s.Title + ":\n")
		indent = "  "
	}
	for paragraph := range strings.SplitSeq(s.Prose, "\n\n") {
		if paragraph != "" {
			b.WriteString(indent + term.Wrapped(paragraph, len(indent), width) + "\n")
		}
	}
	if s.Prose != "" && len(s.Items) > 0 {
		b.WriteString("\n")
	}
	at := s.column(len(indent), width)
	for _, i := range s.Items {
		b.WriteString(i.head(indent, at, width) + term.Wrapped(i.Text, at, width) + "\n")
	}
}

// head returns the name of an item, and the space up to its meaning at a column.
func (i Item) head(indent string, at, width int) string {
	head := indent + i.Name
	if strings.HasPrefix(i.Name, "--") {
		head = indent + "    " + i.Name // the place of "-x, " stays empty
	}
	switch {
	case i.Text == "":
		return head
	case len(head)+2 <= at:
		return head + strings.Repeat(" ", at-len(head))
	case width == 0:
		return head + "  "
	}
	return head + "\n" + strings.Repeat(" ", at)
}

// column returns the column at which the meanings of the items begin. For flags it is the
// same in all sections.
func (s Section) column(indent, width int) int {
	if 0 < width && width < 2*meaningAt {
		return 8 // there is no room beside an item
	}
	at := indent + 2
	for _, i := range s.Items {
		switch {
		case strings.HasPrefix(i.Name, "-"):
			return meaningAt
		case i.Text != "" && (width == 0 || indent+len(i.Name)+2 <= meaningAt):
			at = max(at, indent+len(i.Name)+2)
		}
	}
	return at
}
