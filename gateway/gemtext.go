package gateway

import (
	"bufio"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
)

// maxParagraph is how much of a line of a page of Gemini is held. A longer one is shown in
// pieces.
const maxParagraph = 64 << 10

// A gemline is a line of a page of Gemini.
type gemline struct {
	Kind string // text, heading1, heading2, heading3, item, quote or link
	Text string
	row  // of a link
}

// gemtext writes a page of Gemini: a line is a paragraph, a link, a heading, an item of a list or
// a quotation, and preformatted text stays as it is.
func (x *exchange) gemtext(out io.Writer, res *fetchers.Resource) error {
	in := bufio.NewReaderSize(asUTF8(res, res.Body), maxParagraph)
	verbatim := false
	defer func() {
		if verbatim {
			io.WriteString(out, "</pre>\n")
		}
	}()
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 {
			line := strings.TrimRight(string(piece), "\r\n")
			var failed error
			switch {
			case strings.HasPrefix(line, "```"):
				verbatim = !verbatim
				_, failed = io.WriteString(out, map[bool]string{true: "<pre>", false: "</pre>\n"}[verbatim])
			case verbatim:
				failed = writeText(out, strings.NewReader(line+"\n"))
			default:
				failed = render(out, "gemline", x.gemline(line, res))
			}
			if failed != nil {
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

// gemline reads a line that is not preformatted.
func (x *exchange) gemline(line string, res *fetchers.Resource) gemline {
	if link, ok := gemini.ParseLink(line); ok {
		l := gemline{Kind: "link", Text: link.Label}
		u, err := res.URL.Resolve(link.Reference)
		if err != nil {
			l.URL = link.Reference
		} else {
			l.URL = u.WithoutPassword().Redacted()
			l.Href = x.link(u)
		}
		if l.Text == "" {
			l.Text = l.URL
		}
		return l
	}
	for _, form := range []struct{ mark, kind string }{{"###", "heading3"}, {"##", "heading2"}, {"#", "heading1"}, {"* ", "item"}, {">", "quote"}} {
		if text, ok := strings.CutPrefix(line, form.mark); ok {
			return gemline{Kind: form.kind, Text: strings.TrimSpace(text)}
		}
	}
	return gemline{Kind: "text", Text: line}
}
