package download_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

func TestFindSum(t *testing.T) {
	a, b := strings.Repeat("a1", 32), strings.Repeat("b2", 32)
	md5, sha512 := strings.Repeat("5", 32), strings.Repeat("c", 128)
	for name, c := range map[string]struct{ file, want string }{
		"GNU":                        {b + "  other\n" + a + "  name\n", "sha256:" + a},
		"GNU, binary, upper case":    {strings.ToUpper(a) + " *name\r\n", "sha256:" + a},
		"BSD":                        {"SHA256 (other) = " + b + "\nSHA256 (name) = " + a, "sha256:" + a},
		"BSD, reversed":              {a + " name", "sha256:" + a},
		"OpenSSL":                    {"SHA512(name)= " + sha512, "sha512:" + sha512},
		"OpenSSL 3":                  {"SHA2-256(name)= " + a, "sha256:" + a},
		"a byte order mark":          {"\uFEFF" + a + "  name", "sha256:" + a},
		"the strongest":              {"SHA512 (name) = " + sha512 + "\nSHA256 (name) = " + a + "\nMD5 (name) = " + md5, "sha512:" + sha512},
		"by the number of digits":    {md5 + "  name\n", "md5:" + md5},
		"signed":                     {"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + a + "  name\n-----END-----\n", "sha256:" + a},
		"in this directory":          {a + "  ./name\n", "sha256:" + a},
		"in another directory":       {a + "  x/name\n", "sha256:" + a},
		"here rather than there":     {b + "  x/name\n" + a + "  name\n", "sha256:" + a},
		"the same twice":             {a + "  name\n" + a + " *name\n", "sha256:" + a},
		"two that differ":            {a + "  name\n" + b + "  name\n", ""},
		"two in other directories":   {a + "  x/name\n" + b + "  y/name\n", ""},
		"none":                       {a + "  other\n" + a + "  surname\n", ""},
		"nothing":                    {"", ""},
		"an unknown algorithm":       {"BLAKE2b (name) = " + sha512, ""},
		"digits of another length":   {"SHA256 (name) = " + md5 + "\n" + a + "0  name", ""},
		"an escape that is not ours": {`\` + a + `  na\\me`, ""},
		"a page about an error":      {"<html>" + a + "  name", ""},
		"a line without end":         {strings.Repeat("x", 1<<20) + "\n" + a + "  name", ""},
		"a file without end":         {strings.Repeat("#"+strings.Repeat("x", 9998)+"\n", 1800) + a + "  name", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := download.FindSum(strings.NewReader(c.file), "name")
			want, _ := download.ParseSum(c.want)
			if got != want || (err == nil) != (c.want != "") {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	if got, err := download.FindSum(strings.NewReader(`\`+a+`  a\\b\nc`), "a\\b\nc"); err != nil {
		t.Errorf("a name with escapes: %v, %v", got, err)
	}
	if _, err := download.FindSum(strings.NewReader(""), "name"); !errors.Is(err, download.ErrNoSum) {
		t.Errorf("%v", err)
	}
}
