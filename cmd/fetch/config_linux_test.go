package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A configuration that exists, or may exist, and cannot be read is an error, since it may forbid
// the fetch. Only a configuration that does not exist is left out.
func TestConfigThatCannotBeRead(t *testing.T) {
	const url = "http://127.0.0.1:1/"
	for _, c := range []struct {
		name string
		make func(dir string) error // dir is the directory of all configuration
		want string
	}{
		{"none", func(string) error { return nil }, ""},
		{"a directory of nothing", func(dir string) error { return os.MkdirAll(dir+"/fetch", 0o755) }, ""},
		{"a directory in its place", func(dir string) error { return os.MkdirAll(dir+"/fetch/config.toml", 0o755) }, "is a directory"},
		{"a file on the way", func(dir string) error { return os.WriteFile(dir+"/fetch", nil, 0o644) }, "not a directory"},
		{"a link to nothing", func(dir string) error {
			os.Mkdir(dir+"/fetch", 0o755)
			return os.Symlink("nothing", dir+"/fetch/config.toml")
		}, "fetch/config.toml is a link that leads to nothing"},
		{"a link to nothing on the way", func(dir string) error { return os.Symlink("nothing", dir+"/fetch") }, "/fetch is a link that leads to nothing"},
		{"a link to itself", func(dir string) error { return os.Symlink("fetch", dir+"/fetch") }, "too many levels of symbolic links"},
		{"no permission", func(dir string) error {
			os.Mkdir(dir+"/fetch", 0o755)
			return os.WriteFile(dir+"/fetch/config.toml", nil, 0)
		}, "permission denied"},
		{"no permission on the way", func(dir string) error { return os.Mkdir(dir+"/fetch", 0) }, "permission denied"},
		{"too long", func(dir string) error {
			os.Mkdir(dir+"/fetch", 0o755)
			return os.WriteFile(dir+"/fetch/config.toml", []byte(strings.Repeat("#\n", 1<<19)+"public-only = true\n"), 0o644)
		}, "more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			t.Setenv("XDG_CONFIG_HOME", dir)
			if os.Geteuid() == 0 && strings.HasPrefix(c.name, "no permission") { // root may read anything
				os.Chmod(filepath.Dir(dir), 0o755)
				if err := syscall.Seteuid(65534); err != nil {
					t.Fatal(err)
				}
				defer syscall.Seteuid(0)
			}
			for _, given := range []bool{false, true} {
				want, status := c.want, 26
				args := []string{"--retry=0", url}
				if given {
					args = append(args, "--config", filepath.Join(dir, "fetch/config.toml"))
					if want == "" || strings.Contains(want, "link that") {
						want = "no such file or directory"
					}
				} else if want == "" {
					status = 7
				}
				got, _, stderr := command(args...)
				if got != status || !strings.Contains(stderr, want) {
					t.Errorf("%q: status %d, want %d: %s", args, got, status, stderr)
				}
				if hint := strings.Contains(stderr, "--no-config"); hint != (status == 26 && !given) {
					t.Errorf("%q: %s", args, stderr)
				}
			}
			if status, _, stderr := command("--no-config", "--retry=0", url); status != 7 {
				t.Errorf("--no-config: status %d: %s", status, stderr)
			}
			if status, _, stderr := command("--no-config", "news:a@b"); c.name == "no permission on the way" && (status != 26 || !strings.Contains(stderr, "news-server: permission denied")) {
				t.Errorf("news: status %d: %s", status, stderr)
			}
		})
	}
}
