package url_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

func TestBase(t *testing.T) {
	for in, want := range map[string]string{
		"http://h.dom":                     "",
		"http://h.dom/":                    "",
		"http://h.dom/a/":                  "",
		"http://h.dom/a/b%20c?d/e":         "b c",
		"ftp://h.dom/a/b%2Fc;type=i":       "b/c",
		"http://h.dom/a/b;type=i":          "b;type=i",
		"http://h.dom/d/%2e%2e":            "..",
		"file:///etc/motd":                 "motd",
		"news:comp.lang.c":                 "comp.lang.c",
		"gopher://h.dom/0about.txt":        "about.txt",
		"gopher://h.dom/%30a%2Fb%09w%09+":  "b",
		"gopher://h.dom/1":                 "",
		"gopher://h.dom/0/caf%C3%A9?x.txt": "café?x.txt",
	} {
		u, err := url.Parse(in)
		if err != nil || u.Base() != want {
			t.Errorf("Base of %q is %q, %v; want %q", in, u.Base(), err, want)
		}
	}
}
