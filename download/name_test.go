package download_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/url"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"http://h.dom/a/report.txt?x=1":    "report.txt",
		"ftp://h.dom/pub/a%20b.bin;type=i": "a b.bin",
		"ftp://h.dom/%2Fetc%2Fpasswd":      "_etc_passwd",
		"http://h.dom/d/%2e%2e":            "_",
		"http://h.dom/.bashrc":             "_bashrc",
		"http://h.dom/-rf":                 "_rf",
		"http://h.dom/f%00.txt":            "f_.txt",
		"http://h.dom/%1b%5d0;PWN%07f":     "_]0;PWN_f",
		"http://h.dom/x%E2%80%AEgpj.exe":   "x_gpj.exe",
		"http://h.dom/caf%C3%A9":           "café",
		"http://h.dom/a%E2%80%8Bb%C2%ADc":  "a_b_c", // U+200B, U+00AD
		"http://h.dom/%EF%BB%BFa%E2%80%A8": "_a_",   // U+FEFF, U+2028
		"http://h.dom/x%F3%A0%81%81.sh":    "x_.sh", // U+E0041, a tag
		"http://h.dom/a%E2%80%8Db":         "a_b",   // U+200D, which joins nothing here
		"http://h.dom/%E2%9D%A4%EF%B8%8F":  "❤\ufe0f",
		"ftp://h.dom/caf%E9":               "caf\xe9",
		"http://h.dom/con.txt":             "_con.txt",
		"http://h.dom/v.iso.part":          "v.iso.part_",
		"http://h.dom/v.iso.1.PART.Json":   "v.iso.1.PART.Json_",
		"http://h.dom/v.iso.part.json.%20": "v.iso.part.json_",
		"http://h.dom/v.part1.rar":         "v.part1.rar",
		"http://h.dom/LPT1":                "_LPT1",
		"http://h.dom/nul%20.tar.gz":       "_nul .tar.gz",
		"http://h.dom/com%C2%B2":           "_com²",
		"http://h.dom/conin$":              "_conin$",
		"http://h.dom/com10":               "com10",
		"http://h.dom/console":             "console",
		"http://h.dom/a:b%7Cc%3Fd*":        "a_b_c_d_",
		"http://h.dom/name.%20.":           "name",
		"http://h.dom/C:%5Cx":              "C__x",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := download.Name(u); got != want || err != nil {
			t.Errorf("Name(%s) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"http://h.dom", "http://h.dom/", "ftp://h.dom/pub/"} {
		u, _ := url.Parse(in)
		if got, err := download.Name(u); !errors.Is(err, download.ErrNoName) {
			t.Errorf("Name(%s) = %q, %v; want ErrNoName", in, got, err)
		}
	}
}

// A safe name joined to a directory is always a file in that directory.
func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"a", "..", "../../x", "/etc/passwd", "a\x00b", "\u202e", "日\U000e0100\u200d", "a\ufe0f\u200d", "❤\ufe0f", "CON", strings.Repeat("é", 200), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := download.SafeName(s)
		dir := filepath.Join("some", "where")
		path := filepath.Join(dir, name)
		if filepath.Dir(path) != dir || filepath.Base(path) != name {
			t.Fatalf("SafeName(%q) = %q leads to %q", s, name, path)
		}
		if len(name) > 255 || strings.ContainsAny(name, "/\\\x00\r\n\x1b") {
			t.Fatalf("SafeName(%q) = %q", s, name)
		}
		if again := download.SafeName(name); again != name {
			t.Fatalf("SafeName(%q) = %q, and of that %q", s, name, again)
		}
	})
}
