//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// TestOpenInPlace checks that a file is emptied and written in place, also through a link. In a
// world-writable directory, a file, link or pipe of another user and a second name are refused, and
// their targets are unchanged. The same holds for a State.
func TestOpenInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		mode   uint32 // of the directory
		of     int    // owner of the file, link or pipe
		plant  func(t *testing.T, file, mine string)
		opened bool
	}{
		"none":                             {0o1777, -1, func(*testing.T, string, string) {}, true},
		"ours":                             {0o1777, os.Getuid(), planted, true},
		"a link of ours":                   {0o1777, os.Getuid(), plantedLink, true},
		"of another user":                  {0o1777, nobody, planted, false},
		"a link of another user":           {0o1777, nobody, plantedLink, false},
		"a dangling link of another user":  {0o1777, nobody, func(t *testing.T, file, mine string) { link(t, mine+".new", file) }, false},
		"our link to a link of another":    {0o1777, nobody, func(t *testing.T, file, mine string) { plantedLink(t, file, mine); link(t, file, file+".2") }, false},
		"a pipe of another user":           {0o1777, nobody, plantedPipe, false},
		"a second name":                    {0o1777, os.Getuid(), plantedName, false},
		"a second name in our directory":   {0o755, os.Getuid(), plantedName, true},
		"of another user in our directory": {0o755, nobody, planted, true},
		"by another user in our directory": {0o755, nobody, plantedLink, true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.of == nobody && os.Getuid() != 0 {
				t.Skip("only root can make files of another user")
			}
			base := t.TempDir() // contains the second names
			dir := filepath.Join(base, "dir")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Chmod(dir, c.mode); err != nil {
				t.Fatal(err)
			}
			file, mine := filepath.Join(dir, "f"), filepath.Join(base, "mine")
			write(t, mine, []byte("mine"))
			c.plant(t, file, mine)
			if c.of == nobody {
				if err := os.Lchown(file, c.of, -1); err != nil {
					t.Fatal(err)
				}
			}
			name := file
			if _, err := os.Lstat(file + ".2"); err == nil {
				name = file + ".2"
			}
			s, err := download.OpenState(name)
			if err == nil {
				s.Close()
				t.Cleanup(func() { os.Remove(name) })
			}
			if isEmpty := c.of == -1; (err == nil) != isEmpty { // the existing content is not a State
				t.Errorf("OpenState: %v", err)
			}
			wantContent(t, mine, []byte("mine"))
			f, err := download.OpenInPlace(name)
			if (err == nil) != c.opened {
				t.Errorf("OpenInPlace: %v; it is to be opened: %v", err, c.opened)
			}
			if err != nil {
				wantContent(t, mine, []byte("mine"))
				wantNone(t, mine+".new")
				return
			}
			f.WriteString("new")
			f.Close()
			wantContent(t, name, []byte("new"))
			if info, err := os.Stat(name); c.of == -1 && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("the new file is %v, %v", info.Mode(), err)
			}
		})
	}
}

func planted(t *testing.T, file, _ string) { write(t, file, []byte("planted")) }

func plantedLink(t *testing.T, file, mine string) { link(t, mine, file) }

func plantedName(t *testing.T, file, mine string) {
	if err := os.Link(mine, file); err != nil {
		t.Fatal(err)
	}
}

func plantedPipe(t *testing.T, file, _ string) {
	if err := syscall.Mkfifo(file, 0o666); err != nil {
		t.Fatal(err)
	}
}
