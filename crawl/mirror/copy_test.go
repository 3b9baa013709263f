package mirror

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// copied returns a directory with the mirror of a small site, the path of its host in it, and the
// mirror.
func copied(t *testing.T) (m *Mirror, dir, host string) {
	t.Helper()
	dir = t.TempDir()
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<a href="page">a page</a> <a href="sub/a.txt">a text</a>`))
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xhtml+xml")
		w.Write([]byte(`<html xmlns="http://www.w3.org/1999/xhtml"/>`))
	})
	mux.HandleFunc("/sub/a.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("a text"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	m = newMirror(t, dir)
	changes(t, m, server.URL+"/")
	m.Fetcher.(interface{ CloseIdle() }).CloseIdle()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.IsDir() {
			host = e.Name()
		}
	}
	return m, dir, host
}

// TestCopy: a Copy has the files of a mirror with the types that the server has declared.
func TestCopy(t *testing.T) {
	_, dir, host := copied(t)
	c, err := OpenCopy(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, want := range map[string]string{"/index.html": "text/html", "/page": "application/xhtml+xml", "/sub/a.txt": "text/plain", "/missing": ""} {
		if got := c.MediaType(host + name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if text, err := fs.ReadFile(c, host+"/sub/a.txt"); err != nil || string(text) != "a text" {
		t.Errorf("%q, %v", text, err)
	}
	if names := namesIn(t, c, "."); !slices.Equal(names, []string{host}) {
		t.Errorf("the directory has %q, want only the host", names)
	}
	if _, err := OpenCopy(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory of no mirror: %v", err)
	}
}

// TestCopyBesideRun: a Copy can be opened while a run has the directory.
func TestCopyBesideRun(t *testing.T) {
	m, dir, _ := copied(t)
	r := &run{Mirror: m}
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	defer r.close()
	c, err := OpenCopy(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestCopyHides: files that are not of the mirror are not in the Copy, by whichever name.
func TestCopyHides(t *testing.T) {
	_, dir, host := copied(t)
	outside := filepath.Join(t.TempDir(), "secret")
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(name, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(outside)
	in := func(name string) string { return filepath.Join(dir, host, name) }
	for _, name := range []string{"b.txt.part", "b.txt.part.json", ".hidden", "-dash"} {
		write(in(name))
	}
	if runtime.GOOS != "windows" {
		write(in(`c:\x`))
		write(in("NUL"))
		for name, to := range map[string]string{"out": outside, "up": "../..", "state": "../" + stateName, "deep": "sub"} {
			if err := os.Symlink(to, in(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := OpenCopy(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{
		stateName, host + "/b.txt.part", host + "/b.txt.part.json", host + "/.hidden", host + "/-dash", host + `/c:\x`, host + "/NUL",
		host + "/out", host + "/up", host + "/state", host + "/deep", host + "/deep/a.txt", host + "/sub/a.txt/x",
		"../" + filepath.Base(dir) + "/" + host, host + "/../" + stateName, "/" + host, host + "/", host + "//page", outside, "", host + "/page\x00",
	} {
		if f, err := c.Open(name); err == nil {
			f.Close()
			t.Errorf("%q is there", name)
		}
	}
	if names := namesIn(t, c, host); !slices.Equal(names, []string{"index.html", "page", "sub"}) {
		t.Errorf("the directory has %q", names)
	}
}

// namesIn returns the names in a directory, one at a time.
func namesIn(t *testing.T, c *Copy, dir string) (names []string) {
	t.Helper()
	f, err := c.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		list, err := f.(fs.ReadDirFile).ReadDir(1)
		if err != nil {
			break
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}
