package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// isGemtext reports whether res is a page in the text format of Gemini, in which a line is a
// paragraph, a link, a heading, an item of a list, or a quotation.
func isGemtext(res *fetchers.Resource) bool {
	return res.MediaType == "text/gemini" && res.Range == (fetchers.Range{})
}

// maxParagraph is how many bytes of a line are held in memory. A longer line is shown in pieces.
const maxParagraph = 64 << 10

// A gemtext writes a page to a terminal. Lines are broken between words, and a link has its
// whole URL behind its label or below it. Preformatted text stays as it is.
type gemtext struct {
	out      io.Writer
	palette  term.Palette
	columns  func() int // of the terminal, whose user may resize it
	base     *url.URL
	verbatim bool // within preformatted text
}

// showGemtext writes the page res to the terminal.
func showGemtext(s *term.Streams, res *fetchers.Resource) error {
	g := &gemtext{out: s.Sink(), palette: term.PaletteFor(s.Out), columns: s.Columns, base: res.URL}
	return g.write(asUTF8(res, noBinary(res)))
}

func (g *gemtext) write(page io.Reader) error {
	in := bufio.NewReaderSize(page, maxParagraph)
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 {
			if failed := g.line(strings.TrimRight(string(piece), "\r\n")); failed != nil {
				return failed
			}
		}
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// line writes a line of the page.
func (g *gemtext) line(text string) error {
	if strings.HasPrefix(text, "```") {
		g.verbatim = !g.verbatim
		return nil
	}
	if g.verbatim {
		w := term.NewVisibleWriter(g.out)
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		_, err := io.WriteString(g.out, "\n")
		return err
	}
	_, err := io.WriteString(g.out, g.shown(text)+"\n")
	return err
}

// shown returns a line as it is shown.
func (g *gemtext) shown(text string) string {
	width := g.columns()
	if link, ok := gemini.ParseLink(text); ok {
		return g.link(link, width)
	}
	text = term.Visible(strings.ReplaceAll(text, "\t", " "))
	switch {
	case strings.HasPrefix(text, "#"):
		return g.palette.Heading(text)
	case strings.HasPrefix(text, "* "):
		return "* " + term.Wrapped(text[2:], 2, width)
	case strings.HasPrefix(text, ">"):
		return "> " + strings.ReplaceAll(term.Wrapped(text[1:], 2, width), "\n  ", "\n> ")
	case term.Width(text) <= width:
		return text
	}
	return term.Wrapped(text, 0, width)
}

const arrow = "=> "

// link returns a link with its URL.
func (g *gemtext) link(link gemini.Link, width int) string {
	to := link.Reference
	if u, err := g.base.Resolve(to); err == nil {
		to = u.Redacted()
	}
	to = term.Visible(to)
	if link.Label == "" {
		return arrow + to
	}
	label := term.Wrapped(term.Visible(link.Label), len(arrow), width)
	if len(arrow)+term.Width(label)+2+len(to) <= width {
		return arrow + label + "  " + g.palette.Faint(to)
	}
	return arrow + label + "\n" + strings.Repeat(" ", len(arrow)) + g.palette.Faint(to)
}
