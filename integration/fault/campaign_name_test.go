package fault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// suggests makes a good server that suggests a name for the file.
func suggests(parameter string) func(*scene) string {
	return func(s *scene) string {
		s.named = true
		return s.http(func(v *visit) {
			v.say(v1.data, "HTTP/1.1 200 OK", strings.TrimSpace(length), "Content-Disposition: attachment; "+parameter)
		})
	}
}

// named makes a good server, and a URL with a path of which the name is made.
func named(path string) func(*scene) string {
	return func(s *scene) string {
		s.named = true
		return strings.TrimSuffix(s.http(good), "/f.bin") + path
	}
}

// beside puts something into the directory first, and wants it left alone.
func beside(serve func(*scene) string, put func(s *scene) (precious string, err error)) func(*scene) string {
	return func(s *scene) string {
		precious, err := put(s)
		if err != nil {
			s.Fatal(err)
		}
		s.Cleanup(func() {
			if got, err := os.ReadFile(precious); string(got) != "precious" {
				s.Errorf("%s is %.20q, %v", filepath.Base(precious), got, err)
			}
		})
		return serve(s)
	}
}

func file(dir, name string) (string, error) {
	name = filepath.Join(dir, name)
	return name, os.WriteFile(name, []byte("precious"), 0o600)
}

// misnamed returns the fault of a name that a server chose, or "".
func (s *scene) misnamed(name string) string {
	base := filepath.Base(name)
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if s.named && (filepath.Dir(name) != s.dir || base[0] == '.' || strings.ContainsFunc(base, odd)) {
		return fmt.Sprintf("the file is called %q", name)
	}
	return ""
}

var fileNames = []trial{
	{name: "a suggested name", serve: suggests(`filename="plain.bin"`), want: mustBeRight},
	{name: "a suggested absolute path", serve: func(s *scene) string { return suggests(fmt.Sprintf("filename=%q", s.TempDir()+"/x"))(s) }},
	{name: "a suggested name with NUL", serve: suggests("filename=\"a\x00b\"")},
	{name: "a suggested name with an encoded NUL", serve: suggests("filename*=UTF-8''a%00b")},
	{name: "a suggested name that begins with a dot", serve: suggests(`filename=".bashrc"`)},
	{name: "a suggested name that is a device elsewhere", serve: suggests(`filename="CON"`)},
	{name: "a suggested name with a terminal sequence", serve: suggests("filename=\"a\x1b]0;PWN\ab\"")},
	{name: "a suggested name that is written backwards", serve: suggests("filename*=UTF-8''x%E2%80%AEgpj.exe")},
	{name: "a suggested name of 5,000 letters", serve: suggests(`filename="` + strings.Repeat("n", 5000) + `"`)},
	{name: "the parent directory as a suggested name", serve: suggests(`filename=".."`)},
	{name: "a suggested name that begins with a dash", serve: suggests(`filename="-rf"`)},
	{name: "a suggested name of a file that exists", serve: beside(suggests(`filename="precious.txt"`), func(s *scene) (string, error) { return file(s.dir, "precious.txt") })},
	{name: "a suggested name that is a symbolic link", serve: beside(suggests(`filename="link"`), func(s *scene) (string, error) {
		outside, err := file(s.TempDir(), "outside")
		if err != nil {
			return "", err
		}
		return outside, os.Symlink(outside, filepath.Join(s.dir, "link"))
	})},
	{name: "a URL that ends in the parent directory", serve: named("/d/%2e%2e")},
	{name: "a URL with NUL in the name", serve: named("/f%00.txt")},
	{name: "a URL with a terminal sequence in the name", serve: named("/%1b%5d0;PWN%07f")},
	{name: "a redirection to a name with a dot", serve: func(s *scene) string {
		s.named = true
		return to("/other/.profile")(s)
	}},
}
