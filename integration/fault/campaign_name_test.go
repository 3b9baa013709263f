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

// misnamed says what is wrong with a name, if it is one that was chosen by others.
func (s *scene) misnamed(name string) string {
	base := filepath.Base(name)
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if s.named && (filepath.Dir(name) != s.dir || base[0] == '.' || strings.ContainsFunc(base, odd)) {
		return fmt.Sprintf("the file is called %q", name)
	}
	return ""
}

var fileNames = []trial{
	{id: "c-ok", serve: suggests(`filename="plain.bin"`), want: mustBeRight},
	{id: "c-abs", serve: func(s *scene) string { return suggests(fmt.Sprintf("filename=%q", s.TempDir()+"/x"))(s) }},
	{id: "c-nul", serve: suggests("filename=\"a\x00b\"")},
	{id: "c-nul-ext", serve: suggests("filename*=UTF-8''a%00b")},
	{id: "c-dotfile", serve: suggests(`filename=".bashrc"`)},
	{id: "c-con", serve: suggests(`filename="CON"`)},
	{id: "c-ansi", serve: suggests("filename=\"a\x1b]0;PWN\ab\"")},
	{id: "c-rtl", serve: suggests("filename*=UTF-8''x%E2%80%AEgpj.exe")},
	{id: "c-long", serve: suggests(`filename="` + strings.Repeat("n", 5000) + `"`)},
	{id: "c-dot", serve: suggests(`filename=".."`)},
	{id: "c-dash", serve: suggests(`filename="-rf"`)},
	{id: "c-clobber", serve: beside(suggests(`filename="precious.txt"`), func(s *scene) (string, error) { return file(s.dir, "precious.txt") })},
	{id: "c-symlink", serve: beside(suggests(`filename="link"`), func(s *scene) (string, error) {
		outside, err := file(s.TempDir(), "outside")
		if err != nil {
			return "", err
		}
		return outside, os.Symlink(outside, filepath.Join(s.dir, "link"))
	})},
	{id: "c-url-dots", serve: named("/d/%2e%2e")},
	{id: "c-url-nul", serve: named("/f%00.txt")},
	{id: "c-url-ansi", serve: named("/%1b%5d0;PWN%07f")},
	{id: "c-redir-name", serve: func(s *scene) string {
		s.named = true
		return to("/other/.profile")(s)
	}},
}
