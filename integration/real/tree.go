package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// odd are the files that are made here because a checkout or a module archive
// cannot carry their names everywhere.
var odd = map[string]string{
	"semi;type=a":  "the name of this file ends like an FTP type\n",
	"what?.txt":    "the name of this file has a question mark in it\n",
	"star*.txt":    "the name of this file would match others\n",
	"colon:.txt":   "the name of this file has a colon in it\n",
	"résumé.txt":   "the name of this file is UTF-8, in composed form\n",
	"noperm.txt":   "nobody may read this\n",
	"empty-dir/":   "",
	"-dash.txt":    "the name of this file looks like an option\n",
	".hidden":      "the name of this file begins with a dot\n",
	"quo\"te'.txt": "the name of this file has quotes in it\n",
}

// menus are files that mean something to gopher servers, and are files like others
// to the rest. The script answers a search.
var menus = map[string]string{
	"menu/gophermap": "Welcome to the menu\n0About\t/menu/about.txt\n1Deep\t/deep\n7Find\t/cgi-bin/find\n" +
		"hWeb\tURL:http://www.example.org/\n1Elsewhere\t/x\tgopher.example.org\t70\n",
	"menu/about.txt":          "about the menu\n",
	"menu/about.txt.abstract": "what there is\nto know\n",
	"menu/form.txt":           "the answer to the form\n",
	"menu/form.txt.ask":       "Ask: Your name?\tNobody\nSelect: Subscribe?:1\n",
	"cgi-bin/find":            "#!/bin/sh\nprintf '0%s\\t/hello.txt\\tlocalhost\\t70\\r\\n.\\r\\n' \"$SEARCHREQUEST\"\n",
}

// makeTree fills root with the files that every server serves: a copy of src, the odd names, a
// link, and the generated files. Existing files stay unchanged, since a server may be reading them.
func makeTree(root, src string, big bool) error {
	if err := makeDir(filepath.Dir(root)); err != nil {
		return err
	}
	if err := makeDir(root); err != nil {
		return err
	}
	if err := copyTree(root, src); err != nil {
		return err
	}
	for name, text := range odd {
		if name[len(name)-1] == '/' {
			if err := makeDir(filepath.Join(root, name)); err != nil {
				return err
			}
			continue
		}
		mode := fs.FileMode(0o644)
		if name == "noperm.txt" {
			mode = 0
		}
		if err := put(root, name, int64(len(text)), mode, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			return err
		}
	}
	for name, text := range menus {
		if err := makeDir(filepath.Join(root, filepath.Dir(name))); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := put(root, name, int64(len(text)), mode, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			return err
		}
	}
	for _, name := range servers.Octets {
		if err := makeDir(filepath.Join(root, filepath.Dir(name))); err != nil {
			return err
		}
		if err := put(root, name, int64(len(name)), 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, name)
			return err
		}); err != nil {
			return err
		}
	}
	if err := os.Symlink("hello.txt", filepath.Join(root, "link.txt")); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	sizes := map[string]int64{"100k.bin": servers.Size100k, "5m.bin": servers.Size5m}
	if big {
		sizes["big.bin"] = servers.SizeBig
	}
	for name, n := range sizes {
		if err := put(root, name, n, 0o644, func(w io.Writer) error {
			return servers.Fill(w, n)
		}); err != nil {
			return err
		}
	}
	return dateDirs(root)
}

func copyTree(root, src string) error {
	return filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return makeDir(filepath.Join(root, rel))
		}
		if d.Name() == ".gitattributes" {
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return put(root, rel, int64(len(b)), 0o644, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	})
}

// put makes one file below root. It is written beside root and renamed, so that no server reads
// half of it.
func put(root, rel string, size int64, mode fs.FileMode, write func(io.Writer) error) error {
	when := servers.TreeTime
	if rel == "hello.txt" {
		when = servers.HelloTime
	}
	name := filepath.Join(root, rel)
	if have, err := os.Lstat(name); err == nil && have.Size() == size && have.ModTime().Equal(when) {
		return nil
	}
	part := root + ".part"
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(mode), f.Close(), os.Chtimes(part, when, when))
	if err != nil {
		return err
	}
	return os.Rename(part, name)
}

// dateDirs gives the directories their time, after everything is in them.
func dateDirs(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chtimes(name, servers.TreeTime, servers.TreeTime)
		}
		return err
	})
}

// moduleRoot looks for this module's root upwards from the working directory,
// which is where "go run ./integration/real" is said.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "testdata", "tree", "hello.txt")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("no testdata/tree in %s or above: run this inside the module", dir)
		}
	}
}
