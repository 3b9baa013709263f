package idn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"HTTPS://BÜCHER.Example:8080/ü?ü#ü", "https://xn--bcher-kva.example:8080/%C3%BC?%C3%BC#%C3%BC"},
		{"http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
		{"http://b%c3%bccher.example", "http://xn--bcher-kva.example"},
		{"http://bu\u0308cher.example/", "http://xn--bcher-kva.example/"}, // NFD
		{"http://ＢÜＣＨＥＲ。example/", "http://xn--bcher-kva.example/"},
		{"http://faß.example/", "http://xn--fa-hia.example/"}, // not ss, as in browsers
		{"http://日本語.example/", "http://xn--wgv71a119e.example/"},
		{"http://شبكة.example/", "http://xn--ngbc5azd.example/"},
		{"http://ü.example./", "http://xn--tda.example./"},
		{"http://_ü.example/", "http://xn--_-eha.example/"},
		{"http://ｅxample.com/", "http://example.com/"},
		{"http://xn--bcher-kva.bücher.example/", "http://xn--bcher-kva.xn--bcher-kva.example/"},
		{"ftp://me:p%C3%BC@bücher.example/x", "ftp://me:p%C3%BC@xn--bcher-kva.example/x"},
		{"gopher://bücher.example/1", "gopher://xn--bcher-kva.example/1"},
		{"news://bücher.example/a.b", "news://xn--bcher-kva.example/a.b"},
		{"telnet://bücher.example", "telnet://xn--bcher-kva.example"},
		{"http://h.example/b%C3%BC", "http://h.example/b%C3%BC"},
		{"http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example/"},
		{"http://xn--a.example/", "http://xn--a.example/"}, // an ASCII host is not checked
		{"mailto:a@h.example", "mailto:a@h.example"},
		{"news:b%C3%BC@h.example", "news:b%C3%BC@h.example"},
	} {
		u, err := idn.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if u.String() != c.want {
			t.Errorf("%s is %s, want %s", c.text, u, c.want)
		}
	}
}

// A host that has no single form in DNS, or that contains more than a name, is malformed.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"http://１２７.0.0.1/":                 "an address in letters outside ASCII",
		"http://0x7f0000０1/":                "an address in letters outside ASCII",
		"http://h.example℀/":                "maps to /",
		"http://a％2f.example/":              "maps to %",
		"http://a＠b.example/":               "maps to @",
		"http://a：80/":                      "maps to :",
		"http://xn--bücher.example/":        "not a DNS name",
		"http://bücher.xn--a.example/":      "not a DNS name",
		"http://ü\u200db.example/":          "not a DNS name",
		"http://a\u05d0b.example/":          "not a DNS name", // mixed writing directions
		"http://b%C3%BCcher%2F.example/":    "maps to /",
		"http://b%C3%BC%00.example/":        "maps to",
		"http://b%FCcher.example/":          "neither ASCII nor UTF-8",
		"http://b\xfccher.example/":         "neither ASCII nor UTF-8",
		"http://b%63.example/":              "'%' in it",
		"http://ü..example/":                "empty label",
		"http://" + strings.Repeat("ü", 80): "",
		"file://bücher/x":                   "not ASCII",
		"x-odd://bücher/x":                  "not ASCII",
		"http://u@v@bücher.example/":        "second",
		"http://bücher.example\\@evil/":     "backslash",
		"http://\u00ad/":                    "",
	} {
		u, err := idn.Parse(text)
		var malformed *url.Error
		if !errors.As(err, &malformed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want an error with %q", text, u, err, want)
		}
	}
}

func TestResolve(t *testing.T) {
	base, err := url.Parse("http://h.example/a/b")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"//bücher.example/x":      "http://xn--bcher-kva.example/x",
		"https://bücher.example/": "https://xn--bcher-kva.example/",
		"bücher":                  "http://h.example/a/b%C3%BCcher",
		"/x//bücher.example/":     "http://h.example/x//b%C3%BCcher.example/",
		"?//bücher.example/":      "http://h.example/a/b?//b%C3%BCcher.example/",
		"#//bücher":               "http://h.example/a/b#//b%C3%BCcher",
		"//b%C3%BCcher.example":   "http://xn--bcher-kva.example",
	} {
		u, err := idn.Resolve(base, ref)
		if err != nil || u.String() != want {
			t.Errorf("%s is %v, %v, want %s", ref, u, err, want)
		}
	}
	if u, err := idn.Resolve(base, "//１.２.３.４/"); err == nil {
		t.Errorf("an address is %v", u)
	}
}

func TestHost(t *testing.T) {
	for host, want := range map[string]string{"Bücher.Example": "xn--bcher-kva.example", "H.Example": "h.example", "::1": "::1", "*": "*", "": ""} {
		if got, err := idn.Host(host); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", host, got, err, want)
		}
	}
	if got, err := idn.Host("b\xfccher"); err == nil {
		t.Errorf("it is %q", got)
	}
}

func TestUnicode(t *testing.T) {
	for host, want := range map[string]string{
		"xn--bcher-kva.example":   "bücher.example",
		"h.xn--bcher-kva.example": "h.bücher.example",
		"h.example":               "",
		"xn--a.example":           "",
		"xn--ab-c6t.example":      "", // a fraction slash in it
		"::1":                     "",
		"":                        "",
	} {
		if got := idn.Unicode(host); got != want {
			t.Errorf("%q is %q, want %q", host, got, want)
		}
	}
}

// FuzzParse checks that the host is ASCII, that the text of a result parses to the same URL, and
// that an ASCII text without escapes parses as in package url.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"http://bücher.example/", "http://b%C3%BCcher.example:80/x?y", "ftp://me@日本語.example/", "//x", "http://a％2f/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := idn.Parse(text)
		if err != nil {
			return
		}
		for _, c := range []byte(u.Host) {
			if c >= 0x80 {
				t.Fatalf("%q has the host %q", text, u.Host)
			}
		}
		again, err := idn.Parse(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q became %q, and that %v, %v", text, u, again, err)
		}
		if v, err := url.Parse(text); err == nil && v.String() != u.String() {
			t.Fatalf("%q is %q, and without idn %q", text, u, v)
		}
	})
}

// A host longer than any DNS name is refused before conversion. The conversion takes time that
// grows with the square of the length, and servers send hosts in Location and Set-Cookie.
func TestLongHost(t *testing.T) {
	for _, c := range []struct {
		name, host string
		want       string // the error; "" is none
	}{
		{"as long as a name, of four bytes a letter", strings.Repeat("\U0001D41A", 254), ""},
		{"longer", strings.Repeat("\U0001D41A", 255), "longer than any DNS name"},
		{"many letters", strings.Repeat("書", 500), "longer than any DNS name"},
		{"not UTF-8", strings.Repeat("\xff", 2000), "longer than any DNS name"},
	} {
		_, err := idn.Host(c.host)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if name := idn.Unicode(strings.Repeat("xn--bcher-kva.", 25)); name != "" {
		t.Errorf("a host that is no name is shown as %q", name)
	}
	if name := idn.Unicode(strings.Repeat("xn--bcher-kva.", 18) + "a"); name == "" {
		t.Error("a host of 253 bytes is not shown")
	}
}
