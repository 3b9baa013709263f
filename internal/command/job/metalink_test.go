package job

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A list is no Metalink as soon as that is certain, so that each line is done when it is
// there.
func TestIsMetalink(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"http://a/\n", false},
		{"\n# remark\n", false},
		{"\uFEFFh", false},
		{"<U", false},
		{"<http://a/>", false},
		{"<?xml version", true},
		{" \r\n<metalink xmlns", true},
		{"\uFEFF<!DOCTYPE", true},
	} {
		in, out := io.Pipe() // which does not end
		go io.WriteString(out, c.text)
		if got := isMetalink(bufio.NewReader(in)); got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
		in.Close()
	}
	for _, text := range []string{"", "<", "<?", "\xEF", strings.Repeat(" ", 300)} {
		if isMetalink(bufio.NewReader(strings.NewReader(text))) {
			t.Errorf("%q is a Metalink", text)
		}
	}
}

const metalink = `<metalink xmlns="urn:ietf:params:xml:ns:metalink">
<file name="one"><size>5</size><url>file:///etc/passwd</url><url>http://a/one</url><url>ftp://joe:s3cret@b/one</url><url>ftp://b/one</url></file>
<file name="two"><url>telnet://a/</url></file>
<file name="three"><hash type="sha-256">0</hash><url>http://a/three</url></file>
<file name="four"><url>http://a/four</url></file>
`

// A Metalink has jobs of a stranger: files with the places that the stranger may name.
func TestMetalink(t *testing.T) {
	want := []struct{ text, output, where, err string }{
		{"http://a/one", "one", "m: one: ", ""},
		{"", "two", "m: two: ", "m: two: not retrievable"},
		{"", "three", "m: three: ", "m: three: not a readable Metalink: "},
		{"http://a/four", "four", "m: four: ", ""},
		{"", "", "m: ", "m: not a readable Metalink: XML syntax error"},
	}
	n := 0
	for j, err := range readMetalink(strings.NewReader(metalink), "m") {
		if n == len(want) {
			t.Fatalf("one more: %+v, %v", j, err)
		}
		w := want[n]
		n++
		text := ""
		if err != nil {
			text = err.Error()
		}
		if j.Text != w.text || j.Output != w.output || j.Where != w.where || !strings.HasPrefix(text, w.err) || w.err == "" && err != nil || !j.Stranger {
			t.Errorf("%+v, %v; want %q", j, err, w)
		}
		told(t, j, err)
		switch j.Output {
		case "one":
			if strings.Join(j.Mirrors, " ") != "ftp://b/one" || j.Size != 5 {
				t.Errorf("%+v", j)
			}
		case "two":
			if !errors.Is(err, fetchers.ErrNotRetrievable) {
				t.Errorf("%v", err)
			}
		}
	}
	if n != len(want) {
		t.Errorf("%d files, want %d", n, len(want))
	}
}

func TestStrangerMayName(t *testing.T) {
	for text, want := range map[string]bool{
		"http://a/": true, "https://a/": true, "ftp://a/b": true, "ftps://a/b": true,
		"file:///etc/passwd": false, "gopher://a/": false, "telnet://a/": false, "data:,x": false, "http://u@a/": false, "ftp://u:p@a/": false, "a/b": false, "": false,
	} {
		if got := StrangerMayName(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
