package report

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/url"
)

// gemtextOf returns a page as a terminal of a width without colours shows it.
func gemtextOf(t *testing.T, width int, page io.Reader) (string, error) {
	t.Helper()
	base, err := url.Parse("gemini://h.dom/docs/")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	g := &gemtext{out: &out, columns: func() int { return width }, base: base}
	err = g.write(page)
	return out.String(), err
}

// A paragraph is broken between words, and a link has its whole URL. Preformatted text stays as
// it is, and no line can command the terminal.
func TestGemtext(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"a paragraph", "one two three four five six seven\n\nmore", "one two three four five\nsix seven\n\nmore\n"},
		{"a heading", "# A heading that is long enough to be wide\r\n", "# A heading that is long enough to be wide\n"},
		{"a list", "* one two three four five six\n*no item\n", "* one two three four five\n  six\n*no item\n"},
		{"a quotation", ">one two three four five six\n>\n", "> one two three four five\n> six\n> \n"},
		{"a link with a label", "=> a.gmi One\n", "=> One\n   gemini://h.dom/docs/a.gmi\n"},
		{"a short link", "=>data:,x\t One \n", "=> One  data:,x\n"},
		{"a link without a label", "=> ../b\n", "=> gemini://h.dom/b\n"},
		{"a link that leads nowhere", "=> gemini:/// One\n", "=> One  gemini:///\n"},
		{"no link", "=>\n", "=>\n"},
		{"preformatted text", "```art\n=>  a\tb   c d e f g h i j k l m n o p q r s t u v\n```\nx\n", "=>  a\tb   c d e f g h i j k l m n o p q r s t u v\nx\n"},
		{"letters of other scripts", "éé éé éé éé éé éé éé éé éé\n", "éé éé éé éé éé éé éé éé\néé\n"},
		{"commands for the terminal", "\x1b[2Jx\ry\n```\n\x1b[2J\n```\n=> a%1b[2J \x1b[2J\n", "\\x1b[2Jx\\ry\n\\x1b[2J\n=> \\x1b[2J\n   gemini://h.dom/docs/a%1b%5B2J\n"},
		{"nothing", "", ""},
	} {
		for name, in := range map[string]io.Reader{"": strings.NewReader(c.page), ", in pieces": iotest.OneByteReader(strings.NewReader(c.page))} {
			if got, err := gemtextOf(t, 25, in); got != c.want || err != nil {
				t.Errorf("%s%s: %q, %v; want %q", c.name, name, got, err, c.want)
			}
		}
	}
}

// A page that is cut short is shown as far as it has come.
func TestGemtextCut(t *testing.T) {
	broken := errors.New("broken")
	got, err := gemtextOf(t, 80, io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(broken)))
	if got != "one\ntw\n" || err != broken {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := gemtextOf(t, 80, strings.NewReader(strings.Repeat("x", 200_000))); len(got) < 200_000 || err != nil {
		t.Errorf("a long line: %d octets, %v", len(got), err)
	}
}
