package main

import (
	"io"
	"os"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf returns the file that w writes to, or nil.
func fileOf(w io.Writer) *os.File {
	if p, ok := w.(*progress); ok {
		w = p.out
	}
	f, _ := w.(*os.File)
	return f
}

// columns returns the width of the terminal w, or 0 if w is none.
func columns(w io.Writer) int {
	if !terminal(w) {
		return 0
	}
	if width, _, err := term.GetSize(int(fileOf(w).Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// shortened returns text with less of its middle if it is wider than most columns:
// names that are alike differ at their end.
func shortened(text string, most int) string {
	width := runewidth.StringWidth(text)
	if width <= most {
		return text
	}
	const gap = "…"
	most = max(most, 3) - runewidth.StringWidth(gap)
	head := runewidth.Truncate(text, most/2, "")
	return head + runewidth.TruncateLeft(text, width-(most-runewidth.StringWidth(head)), gap)
}

// A palette colours text. The zero palette does not.
type palette struct{ on bool }

// paletteFor returns the palette for what is written to w. See no-color.org.
func paletteFor(w io.Writer) palette {
	name := os.Getenv("TERM")
	return palette{terminal(w) && os.Getenv("NO_COLOR") == "" && name != "" && name != "dumb"}
}

// paint returns text between the selection of an attribute and its end.
func (p palette) paint(attribute, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}

func (p palette) faint(text string) string { return p.paint("2", text) }
func (p palette) alarm(text string) string { return p.paint("1;31", text) }

// kind colours the name of an entry of that kind, directories as ls does.
func (p palette) kind(kind, name string) string {
	switch kind {
	case "listing":
		return p.paint("1;34", name)
	case "index", "session":
		return p.paint("1;35", name)
	}
	return name
}
