package job

import (
	"os"
	"testing"
)

// A host without a scheme is one of the protocol that its port, its name or its place says.
func TestTyped(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("here.txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"example.com":            "https://example.com",
		"example.com/x?q#f":      "https://example.com/x?q#f",
		"example.com?q":          "https://example.com?q",
		"EXAMPLE.com:8443/":      "https://EXAMPLE.com:8443/",
		"bücher.example/x":       "https://bücher.example/x",
		"example.com:80/x":       "http://example.com:80/x",
		"mirror.example:21/pub/": "ftp://mirror.example:21/pub/",
		"ftp.example.org/pub/":   "ftp://ftp.example.org/pub/",
		"FTP.example.org":        "ftp://FTP.example.org",
		"gopher.example.org":     "gopher://gopher.example.org",
		"ftp.example.org:443/":   "https://ftp.example.org:443/",
		"127.0.0.1:8000/x":       "http://127.0.0.1:8000/x",
		"192.0.2.1":              "http://192.0.2.1",
		"[::1]:8000/x":           "http://[::1]:8000/x",
		"localhost":              "http://localhost",
		"localhost:8080/x":       "http://localhost:8080/x",
		"a.localhost:8080/x":     "http://a.localhost:8080/x",
		"buildhost:8080/x":       "https://buildhost:8080/x",

		"": "", "-": "", "lst": "", "word/x": "", "here.txt": "", "./example.com": "", "/example.com": "", "//example.com": "",
		"http://example.com": "", "news:a@b": "", "mailto:joe@example.com": "", "tel:5551234": "", "http:80": "", "cid:80": "",
		"joe@example.com/x": "", "joe:s3cret@example.com": "", "example.com:s3cret@h/": "", "example.com:99999": "",
		"a b.example": "", "exa\tmple.com": "", "example.com/\r\nx": "", `a\b.example`: "", "[::1": "", "ftp": "", ".": "", "..": "", "...": "",
		"<example.com>": "",
	} {
		if got, ok := Typed(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
	}
}
