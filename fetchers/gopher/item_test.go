package gopher

import (
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Bytes that a text file cannot represent well: some are invalid in a URL, others in any text.
func TestOddItems(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"CR in the selector":  {"0x\t/x\ry\th.example\t70", ""},
		"NUL in the selector": {"0x\t/x\x00y\th.example\t70", ""},
		"CR in a user":        {"8x\ta\rb\tt.example\t23", ""},
		"a control as type":   {"\x01x\t/x\th.example\t70", ""},
		"a byte as type":      {"\xffx\t/x\th.example\t70", "gopher://h.example/%FF/x"},
		"bytes":               {"0x\t/\xe9\x1b\th.example\t70", "gopher://h.example/0/%E9%1B"},
		"blanks in the port":  {"0x\t/x\th.example\t 70 ", "gopher://h.example/0/x"},
		"CR in the host":      {"0x\t/x\th.exa\rmple\t70", ""},
		"a query in the host": {"0x\t/x\th.example?x\t70", ""},
		"a link to nowhere":   {"hx\tURL:\th.example\t70", "gopher://h.example/hURL:"},
		"a link in data":      {"hx\tURL:DATA:text/html,x\th.example\t70", "gopher://h.example/hURL:DATA:text/html,x"},
		"a link to a file":    {"hx\t/URL:FILE:///x\th.example\t70", "gopher://h.example/h/URL:FILE:///x"},
	} {
		item, ok := ParseItem(c.line)
		if !ok {
			t.Errorf("%s: it is no item", name)
			continue
		}
		got := ""
		if u := item.URL(); u != nil {
			got = u.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEntry(t *testing.T) {
	const attributes = "+INFO: 0A report\t/report\th.example\t70\t+\r\n" +
		"+ADMIN:\r\n Admin: A <a@h.example>\r\n Mod-Date: some day <20010203040506>\r\n Score: 7\r\n" +
		"+VIEWS:\r\n Text/Plain En_US: <10k>\r\n image/gif\r\n" +
		"+ABSTRACT:\r\n two\r\n lines\r\n"
	for e, err := range parseAttributes(strings.NewReader(attributes)) {
		item, _ := e.Sys.(Item)
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Name != "A report", e.URL.String() != "gopher://h.example/0/report%09%09+", e.Kind != fetchers.Document, e.Size != -1:
			t.Errorf("the entry is %+v", e)
		case e.ModTime.Format("20060102150405") != "20010203040506", e.Score != 7, e.MediaType != "text/plain":
			t.Errorf("of %v, score %d, type %q", e.ModTime, e.Score, e.MediaType)
		case e.Attributes["gopher.abstract"] != "two\nlines", e.Attributes["gopher.type"] != "0", e.Attributes["gopher.views"] != "Text/Plain En_US: <10k>\nimage/gif":
			t.Errorf("the attributes are %q", e.Attributes)
		case item.Selector != "/report", item.Plus != '+', len(item.Blocks) != 4, len(item.Views()) != 2:
			t.Errorf("the item is %+v", item)
		}
	}
}

func TestMediaType(t *testing.T) {
	for c, want := range map[string]string{
		"0/x.html": "text/plain", "1/x": "application/gopher-menu", "I/x.PNG": "image/png", "I/x": "", "I/x.txt": "",
		"9/x.zip": "application/zip", "9/x": "application/octet-stream", "s/x.wav": "audio/vnd.wave", "g/x": "image/gif",
		"z/x.pdf": "application/pdf", "z/x": "", ";/x.mp4": "video/mp4", "d/x.ps": "application/postscript",
	} {
		if got := mediaTypeOf(c[0], c[1:]); got != want {
			t.Errorf("%s is %q, want %q", c, got, want)
		}
	}
}

func TestViews(t *testing.T) {
	views := ParseViews([]string{"Text/plain En_US: <10k>", "application/postscript Es_ES:<.45K>", "image/GIF", "nonsense", ""})
	want := []View{
		{"text/plain", "En_US", "10k", "Text/plain En_US"},
		{"application/postscript", "Es_ES", ".45K", "application/postscript Es_ES"},
		{"image/gif", "", "", "image/GIF"},
	}
	if len(views) != len(want) {
		t.Fatalf("%+v", views)
	}
	for i, v := range views {
		if v != want[i] {
			t.Errorf("%+v, want %+v", v, want[i])
		}
	}
	if v, ok := ChooseView(views, "Image/gif", ""); !ok || v != want[2] {
		t.Errorf("chosen %+v", v)
	}
	if v, ok := ChooseView(views, "text/plain", "en_us"); !ok || v != want[0] {
		t.Errorf("chosen %+v", v)
	}
	if v, ok := ChooseView(views, "text/plain", "De_DE"); ok {
		t.Errorf("chosen %+v", v)
	}
}

func TestFieldText(t *testing.T) {
	for want, field := range map[string]Field{
		"Name?":                      {Kind: "Ask", Prompt: "Name?"},
		"Name? [Al]":                 {Kind: "Ask", Prompt: "Name?", Default: "Al"},
		"Colour? (red, green) [red]": {Kind: "Choose", Prompt: "Colour?", Default: "red", Choices: []string{"red", "green"}},
		"Subscribe? [0]":             {Kind: "Select", Prompt: "Subscribe?", Default: "0"},
	} {
		if got := field.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The fields of a form, and the lines of their answers, as sent by the Minnesota client.
func TestForm(t *testing.T) {
	form := ParseForm([]string{
		"Note: Please fill in this form", "Ask: Your name?\tNobody", "askp: Password?", "AskL: Comments?",
		"Select: Subscribe?:1", "Choose: Colour?\tred\tgreen\tblue", "AskF: Save as?\tout.txt", "What: is this", "and this",
	})
	u, err := url.Parse("gopher://h.example/0/form%09%09?")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answers []string
		want    string // with "|" for line ends; or an error
	}{
		"defaults":     {nil, "Nobody||0|1|red|out.txt||"},
		"answers":      {[]string{"Al", "pw", "c1\nc2\n", "0", "green", "f", "x"}, "Al|pw|3|c1|c2||0|green|f|x|"},
		"some":         {[]string{"Al"}, "Al||0|1|red|out.txt||"},
		"too many":     {make([]string, 8), `"Subscribe?": the answer is 0 or 1`},
		"two lines":    {[]string{"a\nb"}, `"Your name?": the answer is one line`},
		"the end":      {[]string{"."}, `"Your name?": a line of an answer cannot be a single dot`},
		"an inner end": {[]string{"", "", "a\n.\nb"}, `"Comments?": a line of an answer cannot be a single dot`},
		"CR":           {[]string{"a\rb"}, `"Your name?": CR or NUL`},
		"no choice":    {[]string{"", "", "", "1", "pink"}, `"Colour?": the answer is one of`},
	} {
		filled, err := form.Fill(u, c.answers)
		if err != nil {
			if !strings.HasPrefix(err.Error(), c.want) || strings.HasSuffix(c.want, "|") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		g, err := filled.Gopher()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := "+-1\r\n" + strings.ReplaceAll(c.want, "|", "\r\n") + ".\r\n"; g.Block != want || g.Plus != "+\t1" || g.Selector != "/form" {
			t.Errorf("%s: %q, want %q", name, g.Block, want)
		}
	}
}
