package manual

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

// A man page has all flags of its verb, and its text is no request to roff.
func TestPages(t *testing.T) {
	line := regexp.MustCompile(`^(\.(TH|SH|SS|B) ".*|\.(TP|PP|br)|[^.'].*|)$`)
	escape := regexp.MustCompile(`\\(e|-|&|\(ha|\(ti|\(dq)`)
	for _, v := range verbs {
		page := Page(v, verbs, "1.2-x", "2001-02-03")
		for l := range strings.Lines(page) {
			l = strings.TrimSuffix(l, "\n")
			if !line.MatchString(l) || strings.Contains(escape.ReplaceAllString(l, ""), `\`) {
				t.Errorf("%s: %q", v.Name, l)
			}
		}
		for _, f := range option.Table() {
			if want := escaped("--" + f.Name); f.On(v.Name) && !strings.Contains(page, want) {
				t.Errorf("%s: no %s", v.Name, want)
			}
		}
	}
	if got := escaped(`.a \b 'c'`); got != `\&.a \eb 'c'` {
		t.Errorf("a line that begins with a dot is %q", got)
	}
}

func TestPage(t *testing.T) {
	want := `.TH "FETCH\-VERSION" 1 "2001-02-03" "fetch 1.2\-x"
.SH "NAME"
fetch\-version \- print the version
.SH "SYNOPSIS"
.B "fetch version"
.SH "DESCRIPTION"
It prints.
.SH "OPTIONS"
.SS "Messages"
.TP
.B "\-h, \-\-help"
print the help of the command
.SH "SEE ALSO"
curl(1), fetch(1), fetch\-ls(1), fetch\-info(1), fetch\-parse(1)
`
	if got := Page(verbs[4], verbs, "1.2-x", "2001-02-03"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The page of the command has the verbs and the topics, too.
func TestPageOfCommand(t *testing.T) {
	page := Page(verbs[0], verbs, "(devel)", "")
	for _, part := range []string{
		".TH \"FETCH\" 1 \"\" \"fetch (devel)\"\n.SH \"NAME\"\nfetch \\- fetch URLs\n",
		".B \"fetch [flags] URL...\"\n.br\n.B \"fetch COMMAND [flags] [ARG...]\"\n",
		"It fetches.\n.PP\n\\&.It also \"prints\", and knows \\(ti and \\e.\n.SH \"COMMANDS\"\n.TP\n.B \"ls\"\nList directories\n",
		".SH \"OPTIONS\"\n.SS \"Output\"\n",
		".SH \"EXAMPLES\"\n", ".SH \"EXIT STATUS\"\n", ".SH \"ENVIRONMENT\"\n", ".SH \"FILES\"\n", ".SH \"SEE ALSO\"\n",
	} {
		at := strings.Index(page, part)
		if at < 0 {
			t.Fatalf("no\n%s\nin\n%s", part, page)
		}
		page = page[at+len(part):]
	}
}

func TestWritePages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if err := WritePages(dir, verbs, "(devel)", ""); err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs {
		got, err := os.ReadFile(filepath.Join(dir, v.page()+".1"))
		if err != nil || string(got) != Page(v, verbs, "(devel)", "") {
			t.Errorf("%s: %v, %d bytes", v.page(), err, len(got))
		}
	}
	err := WritePages(filepath.Join(dir, "fetch.1"), verbs, "(devel)", "")
	if _, ok := errors.AsType[record.OutputError](err); !ok {
		t.Errorf("a file in the place of the directory: %v", err)
	}
}
