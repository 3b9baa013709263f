package http_test

import (
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

func TestFileName(t *testing.T) {
	for _, c := range []struct{ name, field, want string }{
		{"a quoted name", `attachment; filename="plain.bin"`, "plain.bin"},
		{"a token", `attachment; filename=plain.bin`, "plain.bin"},
		{"none", `attachment`, ""},
		{"no field", ``, ""},
		{"an empty one", `attachment; filename=""`, ""},
		{"an empty one beside another", `attachment; filename*=UTF-8''; filename="a"`, "a"},
		{"of the examples of RFC 6266", `INLINE; FILENAME= "an example.html"`, "an example.html"},
		{"the extended one first", `attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates`, "€ rates"},
		{"in whatever order", `attachment; filename*=utf-8'en'%e2%82%ac; filename=x`, "€"},
		{"ISO-8859-1", `attachment; filename*=iso-8859-1''caf%E9`, "café"},
		{"an unknown charset", `attachment; filename*=utf-16''%00a; filename=b`, "b"},
		{"extended, but no UTF-8", `attachment; filename*=UTF-8''%E9; filename=b`, "b"},
		{"extended, but half an escape", `attachment; filename*=UTF-8''a%2; filename=b`, "b"},
		{"extended, but without a charset", `attachment; filename*=a.txt; filename=b`, "b"},
		{"extended and quoted", `attachment; filename*="UTF-8''a%20b"`, "a b"},
		{"NUL in the extended one", `attachment; filename*=UTF-8''a%00b`, "a\x00b"}, // SafeName replaces it
		{"a quoted pair", `attachment; filename="a\"b\\c"`, `a"b\c`},
		{"a backslash that is meant to be one", `attachment; filename="C:\dir\a.txt"`, `C:\dir\a.txt`},
		{"a semicolon within quotes", `attachment; filename="a;b=c.txt"; x=y`, "a;b=c.txt"},
		{"a quote within quotes", `attachment; filename="a "b" c.txt"`, `a "b" c.txt`},
		{"a quote without an end", `attachment; filename="a.txt`, "a.txt"},
		{"spaces without quotes", `attachment; filename=a b c.txt; x=y`, "a b c.txt"},
		{"UTF-8 as it is", "attachment; filename=\"caf\u00e9\"", "café"},
		{"octets that are none", "attachment; filename=\"caf\xe9\"", "café"},
		{"twice", `attachment; filename=a; filename=b`, "a"},
		{"without a type", `filename="a.txt"`, "a.txt"},
		{"without a type or a name", `a.txt`, ""},
		{"white space and semicolons everywhere", ` attachment ;; filename = "a.txt" ; `, "a.txt"},
		{"a percent sign means nothing in a plain one", `attachment; filename="a%20b"`, "a%20b"},
		{"a name in another name", `attachment; xfilename=a`, ""},
		{"a name in a value", `attachment; x="filename=a"`, ""},
		{"an absolute path", `attachment; filename="/mnt/x"`, "/mnt/x"}, // SafeName replaces it
		{"a long one", `attachment; filename="` + strings.Repeat("n", 5000) + `"`, strings.Repeat("n", 5000)},
	} {
		if got := http.FileName(c.field); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzFileName(f *testing.F) {
	f.Add(`attachment; filename="a\"b"; filename*=UTF-8''%e2%82%ac;;=`)
	f.Fuzz(func(t *testing.T, field string) {
		if got := http.FileName(field); len(got) > 2*len(field) || strings.TrimSpace(got) != got {
			t.Errorf("%q", got)
		}
	})
}
