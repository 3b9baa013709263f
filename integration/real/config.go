package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Only the form with braces is a parameter: nginx and the shell have $name for
// themselves, and a password hash begins with $6$.
var parameter = regexp.MustCompile(`\$\{([A-Z]+)\}`)

// expand replaces every ${NAME} in text. An unknown name is an error: if it stayed, it would become
// the name of a file or an address.
func expand(text string, p map[string]string) (string, error) {
	var err error
	text = parameter.ReplaceAllStringFunc(text, func(m string) string {
		v, ok := p[m[2:len(m)-1]]
		if !ok && err == nil {
			err = fmt.Errorf("%s is not a parameter of this server", m)
		}
		return v
	})
	return text, err
}

// writeConfig copies a folder of src to dir and expands its files. Scripts can
// be run, like those that a web server has for CGI.
func writeConfig(dir string, src fs.FS, folder string, p map[string]string) error {
	return fs.WalkDir(src, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, folder)))
		if d.IsDir() {
			return makeDir(to)
		}
		if path.Base(name) == "Dockerfile" {
			return nil
		}
		b, err := fs.ReadFile(src, name)
		if err != nil {
			return err
		}
		text, err := expand(string(b), p)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		return writeFile(to, []byte(text), mode)
	})
}

// makeDir makes a directory that all users may enter, with any umask: servers drop root before they
// read.
func makeDir(name string) error {
	if err := os.MkdirAll(name, 0o755); err != nil {
		return err
	}
	return os.Chmod(name, 0o755)
}

// writeFile is os.WriteFile with exactly that mode, with any umask.
func writeFile(name string, b []byte, mode fs.FileMode) error {
	if err := os.WriteFile(name, b, mode); err != nil {
		return err
	}
	return os.Chmod(name, mode)
}
