package job

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

var verbs = strings.Fields("ls info parse schemes demo version completion")

// A text that is no URL may mean one, or a verb.
func TestProposal(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("here", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	here := url.FileOf(filepath.ToSlash(dir) + "/here").URL().String()
	for _, c := range []struct{ text, want string }{
		{"example.org/x", `no scheme in "example.org/x": did you mean https://example.org/x ?`},
		{" example.org/x\n", `no scheme in "example.org/x": did you mean https://example.org/x ?`},
		{"lst", `no scheme in "lst": did you mean fetch ls, or https://lst ?`},
		{"d", `no scheme in "d": did you mean fetch demo, or fetch ls, or https://d ?`},
		{"//example.org/x", `no scheme in "//example.org/x": did you mean https://example.org/x ?`},
		{"//u:s3cret@h/", `no scheme in "//u:***@h/": did you mean https://u:***@h/ ?`},
		{"joe@h/x", `no scheme: did you mean https://joe@h/x ?`},
		{":s3cret@h/x", `no scheme: did you mean https://:***@h/x ?`},
		{"", "an empty text is no URL"},
		{"<>", "an empty text is no URL"},
		{"-", "- is no URL: -i - reads URLs from standard input"},
		{"here", `no scheme in "here": did you mean ` + here + ` ?`},
		{"./here", `no scheme in "./here": did you mean ` + here + ` ?`},
	} {
		_, err := Understood(Job{Text: c.text, Where: "l:1: "}, verbs)
		if err == nil || err.Error() != "l:1: "+c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if _, exit := record.Classify(err); exit != record.ExitMalformedURL {
			t.Errorf("%q: the exit status is %d", c.text, exit)
		}
	}
	_, err = Understood(Job{Text: "http://[/", Where: "l:1: "}, verbs)
	if _, ok := errors.AsType[*fetchers.Error](err); !ok || !strings.HasPrefix(err.Error(), "l:1: parse http://[/: ") {
		t.Errorf("%v", err)
	}
}

// A host with its port is no URL; a URL of an unknown scheme is one.
func TestUnderstood(t *testing.T) {
	for _, text := range []string{"tel:5551234", "http://a:80/", "<URL:ftp://a/b>", "news:a@b", "mailto:123"} {
		if u, err := Understood(Job{Text: text}, verbs); err != nil || u == nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := Understood(Job{Text: "localhost:8080/x"}, verbs)
	if want := `no scheme in "localhost:8080/x": did you mean https://localhost:8080/x ?`; !errors.Is(err, fetchers.ErrUnknownScheme) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	u, err := url.Parse("http://a/")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Understood(Job{Text: "x", URL: u}, verbs); got != u || err != nil {
		t.Errorf("%v, %v; want the URL that is known", got, err)
	}
}

// No error has the password of a mistyped URL.
func TestProposalHidesPasswords(t *testing.T) {
	for _, text := range []string{
		"http://joe:s3cret＠h.dom/x", "http：／／joe:s3cret＠h.dom/x", "http://joe:s3cret h.dom/x", "http//joe:s3cret@h", "http:/joe:s3cret@h",
		"http:joe:s3cret@h", "ftp://joe:s3cret@h:x/", "joe:s3cret@h/x", "joe:s3cret＠h", "://joe:s3cret@h/", "//joe:s3cret＠h/", "/joe:s3cret@h/", "<URL:http://joe:s3cret@h:x/>",
	} {
		if _, err := Understood(Job{Text: text}, verbs); err != nil && strings.Contains(record.Text(err), "s3cret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
