package url_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

func TestDirectory(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://h/pub":            "ftp://h/pub/",
		"ftp://h/pub/;type=d":    "ftp://h/pub/",
		"ftp://h":                "ftp://h/",
		"ftp://joe:s@h/a;1":      "ftp://joe:s@h/a;1/",
		"http://h/a?q#f":         "http://h/a/",
		"file:///a%20b/":         "file:///a%20b/",
		"gopher://h/1/pub":       "gopher://h/1/pub",
		"news:comp.lang.go":      "news:comp.lang.go",
		"prospero://h//pros/dir": "prospero://h//pros/dir",
	} {
		if got := mustParse(t, in).Directory().String(); got != want {
			t.Errorf("the directory of %s is %s, want %s", in, got, want)
		}
	}
}

func TestChild(t *testing.T) {
	for _, c := range []struct{ dir, name, want string }{
		{"ftp://h/pub/", "a", "ftp://h/pub/a"},
		{"ftp://h/pub", "a", "ftp://h/pub/a"},
		{"ftp://h/pub/;type=d", "a;type=i", "ftp://h/pub/a%3Btype=i"},
		{"http://h/?q", "100% ?#", "http://h/100%25%20%3F%23"},
		{"file:///", "t\xe9", "file:///t%E9"},
		{"file:///", "...", "file:///..."},
		{"http://h/", `a\b`, "http://h/a%5Cb"},
		{"http://h/", "%2e%2e", "http://h/%252e%252e"},

		{"http://h/", "", ""},
		{"http://h/", ".", ""},
		{"http://h/", "..", ""},
		{"http://h/", "a/b", ""},
		{"http://h/", "a\x00", ""},
		{"gopher://h/1/pub", "a", ""},
	} {
		got, err := mustParse(t, c.dir).Child(c.name)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%q in %s is %s, want an error", c.name, c.dir, got)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("%q in %s is %v, %v, want %s", c.name, c.dir, got, err, c.want)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		dir, u string
		want   bool
	}{
		{"http://h/pub/", "http://h/pub/", true},
		{"http://h/pub", "http://h/pub/a/b", true},
		{"http://h/pub/", "http://h:80/p%75b/a", true},
		{"http://h/p(b)/", "http://h/p%28b%29/a?q", true},
		{"http://h", "http://h/a", true},
		{"ftp://h/pub/;type=d", "ftp://h/pub/a;type=i", true},
		{"ftp://h/%2Fpub/", "ftp://h/%2Fpub/a", true},
		{"file://localhost/a/", "file:///a/b", true},
		{"gopher://h/1/pub", "gopher://h/0/elsewhere", true},
		{"news:*", "news:comp.lang.go", true},

		{"http://h/pub/", "http://h/public/", false},
		{"http://h/pub/", "http://h/", false},
		{"http://h/pub/", "https://h/pub/a", false},
		{"http://h/pub/", "http://h:8080/pub/a", false},
		{"http://h/pub/", "http://other/pub/a", false},
		{"http://h/pub/", "http://h/pub/../a", false},
		{"http://h/pub/", "http://h/pub/%2E%2e/a", false},
		{"http://h/pub/", "http://h/pub/x%2Fa", false},
		{"ftp://h/pub/", "ftp://h/pub/%2Fetc/", false},
		{"ftp://h/pub/", "ftp://h/pub//etc", false},
		{"ftp://h/pub/", "ftp://h/pub", true},
		{"gopher://h/1/pub", "gopher://other/1/pub", false},
		{"gopher://h/1/pub", "ftp://h/pub", false},
	} {
		if got := mustParse(t, c.dir).Holds(mustParse(t, c.u)); got != c.want {
			t.Errorf("%s holds %s: %v, want %v", c.dir, c.u, got, c.want)
		}
	}
}

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
