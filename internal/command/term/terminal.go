package term

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether w is a terminal, or a Progress at one.
func IsTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && isTerminal(f)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// fileOf returns the file that w writes to, or nil.
func fileOf(w io.Writer) *os.File {
	if p, ok := w.(*Progress); ok {
		w = p.out
	}
	f, _ := w.(*os.File)
	return f
}

// Columns returns the width of the terminal w, or 0 if w is none. A terminal that does
// not tell its width has 80.
func Columns(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if width, _, err := term.GetSize(int(fileOf(w).Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// Palette colours text. The zero Palette leaves text as it is.
type Palette struct{ on bool }

// PaletteFor returns the Palette for text to w. It colours if w is a terminal with
// colours, and the user does not object by NO_COLOR. See no-color.org.
func PaletteFor(w io.Writer) Palette {
	name := os.Getenv("TERM")
	return Palette{IsTerminal(w) && os.Getenv("NO_COLOR") == "" && name != "" && name != "dumb"}
}

// paint returns text between the selection of an attribute and its end.
func (p Palette) paint(attribute, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}

// Faint returns text in the colour of an aside.
func (p Palette) Faint(text string) string { return p.paint("2", text) }

// Heading returns text in the style of a heading.
func (p Palette) Heading(text string) string { return p.paint("1", text) }

// Alarm returns text in the colour of a failure.
func (p Palette) Alarm(text string) string { return p.paint("1;31", text) }

// Kind returns the name of an entry in the colour of its kind, directories as ls does.
func (p Palette) Kind(kind, name string) string {
	switch kind {
	case "listing":
		return p.paint("1;34", name)
	case "index", "session":
		return p.paint("1;35", name)
	}
	return name
}
