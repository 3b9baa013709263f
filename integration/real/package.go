package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// prefix is the directory for unpacked packages. Only root can write to it, since root runs their
// programs.
func prefix() string {
	if p := os.Getenv("FETCH_REAL_PREFIX"); p != "" {
		return p
	}
	return "/opt/fetch-real"
}

// locate finds where the files of r are: unpacked, installed, or else unpacked
// now. The root is empty for an installed one, and so are the libraries, a value
// for LD_LIBRARY_PATH.
func locate(r recipe) (root, libraries string, err error) {
	name := r.packages[0]
	root = filepath.Join(prefix(), name)
	if r.missing(root) != "" {
		if r.missing("") == "" {
			return "", "", nil
		}
		if r.module != "" {
			return root, "", build(root+filepath.Dir(r.program), r.module)
		}
		if err := unpack(root, r.packages); err != nil {
			return "", "", fmt.Errorf("package %s of Debian is neither installed nor in %s: %w", name, root, err)
		}
		if file := r.missing(root); file != "" {
			return "", "", fmt.Errorf("package %s of Debian holds no %s", name, file)
		}
	}
	var dirs []string
	for _, pattern := range []string{"usr/lib/*-linux-gnu*", "lib/*-linux-gnu*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return "", "", err
		}
		dirs = append(dirs, found...)
	}
	return root, strings.Join(dirs, ":"), nil
}

// build builds a Go program into a directory. Its version is part of the name, so that go.mod of
// this module is not read, and the sums of its modules are those of the checksum database.
func build(dir, module string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	install := exec.Command("go", "install", module)
	install.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("go install %s: %w\n%s", module, err, out)
	}
	return nil
}

// missing returns the first file of r that is not below root.
func (r recipe) missing(root string) string {
	for _, file := range append([]string{r.program}, r.files...) {
		if !exists(filepath.Join(root, file)) {
			return file
		}
	}
	return ""
}

// unpack fetches packages and unpacks them to home without installing them:
// nothing is configured, no user is made, and servers that exclude each other
// lie side by side.
func unpack(home string, packages []string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("install it (there is no apt-get to fetch it with)")
	}
	part := home + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	defer os.RemoveAll(part)
	root := filepath.Join(part, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	download := append([]string{"apt-get", "-q", "download"}, packages...)
	if err := quietly(part, download...); err != nil {
		// No list of packages yet, or one so old that its files are gone.
		if err := quietly(part, "apt-get", "-q", "update"); err != nil {
			return err
		}
		if err := quietly(part, download...); err != nil {
			return err
		}
	}
	debs, err := filepath.Glob(filepath.Join(part, "*.deb"))
	if err != nil {
		return err
	}
	for _, deb := range debs {
		if err := quietly(part, "dpkg-deb", "-x", deb, root); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(home); err != nil { // an older copy may lack files that the recipe wants
		return err
	}
	return os.Rename(root, home)
}

// quietly runs a command, and shows its output only if it fails.
func quietly(dir string, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n  %s", strings.Join(argv, " "), err, strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "\n  "))
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
