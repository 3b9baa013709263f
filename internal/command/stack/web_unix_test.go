//go:build unix

package stack

import (
	"os"
	"path/filepath"
	"testing"
)

// A new file of cookies, or of hosts that want https, is for its owner alone. An existing
// file keeps its permissions.
func TestJarsArePrivate(t *testing.T) {
	server := listen(t)
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
			st := build(t, flag, file)
			if err := fetchAll(t, st.Fetcher, request(t, st, server.URL)); err != nil {
				t.Fatal(err)
			}
			if err := st.Save(t.Context()); err != nil {
				t.Fatal(err)
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
