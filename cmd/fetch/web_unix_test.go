//go:build unix

package main

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Only the owner may read a new file of cookies, or of hosts that require https. An existing file
// keeps its permissions.
func TestJarsArePrivate(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		nethttp.SetCookie(w, &nethttp.Cookie{Name: "sid", Value: "1", Path: "/"})
	}))
	t.Cleanup(server.Close)
	for _, flag := range []string{"--cookie-jar", "--hsts"} {
		dir := t.TempDir()
		link := filepath.Join(dir, "link")
		if err := os.Symlink("leads-to", link); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{"new": 0, "link": 0, "old": 0o600, "shared": 0o640, "public": 0o644} {
			file, want := filepath.Join(dir, name), mode
			if mode == 0 {
				want = 0o600
			} else if err := os.WriteFile(file, nil, mode); err != nil {
				t.Fatal(err)
			}
			if status, _, said := command("--no-config", flag, file, server.URL); status != 0 {
				t.Fatalf("%s: status %d, %s", flag, status, said)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want || info.Size() == 0 {
				t.Errorf("%s: %s has the permissions %o, want %o, and %d bytes", flag, name, got, want, info.Size())
			}
		}
	}
}

// In a directory in which every user can make files, the command writes no file of another user,
// nor through a link of another user. The test makes such files, and so runs as root.
func TestFilesOfAnotherUserAreNotWritten(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of another user")
	}
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("ETag", `"x"`)
		w.Write([]byte("hello"))
	}))
	t.Cleanup(server.Close)
	for _, flag := range []string{"--events", "--trace", "--state", "--etag-save", "--cookie-jar", "--hsts", "-o"} {
		for name, plant := range map[string]func(file, mine string) error{
			"file": func(file, _ string) error { return os.WriteFile(file, nil, 0o666) },
			"link": func(file, mine string) error { return os.Symlink(mine, file) },
		} {
			dir, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine")
			if err := syscall.Chmod(dir, 0o1777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "f")
			if err := plant(file, mine); err != nil {
				t.Fatal(err)
			}
			if err := os.Lchown(file, 65534, 65534); err != nil {
				t.Fatal(err)
			}
			before, err := os.Open(file) // the other user may have it open
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"--no-config", flag, file, server.URL}
			if flag == "--state" {
				args = append(args, "-o", filepath.Join(t.TempDir(), "out"))
			}
			status, _, said := command(args...)
			if replaced := flag == "--etag-save" || flag == "--cookie-jar" || flag == "--hsts" || flag == "-o"; (status == 0) != (replaced && name == "file") {
				t.Errorf("%s, %s: status %d, %s", flag, name, status, said)
			}
			if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
				t.Errorf("%s, %s: the file that is linked to holds %q, %v", flag, name, text, err)
			}
			if info, err := before.Stat(); err != nil || name == "file" && info.Size() != 0 {
				t.Errorf("%s, %s: the file of another user has %d bytes, %v", flag, name, info.Size(), err)
			}
			before.Close()
		}
	}
}
