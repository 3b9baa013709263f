package mirror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A full disk is reported as an error. No incomplete file gets its name, nothing is deleted, and
// once there is space the next run continues.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("mirror", dir, "tmpfs", 0, "size=300k"); err != nil {
		t.Skip("it takes a small file system: ", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	files := fstest.MapFS{}
	for i := range 100 {
		files[fmt.Sprintf("pub/f%d.txt", i)] = &fstest.MapFile{Data: []byte(strings.Repeat(fmt.Sprintf("%04d", i), 2000)), ModTime: old}
	}
	s := ftptest.NewServer(files)
	defer s.Close()
	full := 0
	m := newMirror(t, dir)
	m.Delete = true
	for c, err := range m.Run(t.Context(), parse(t, s.URL+"/pub/")) {
		if err = errors.Join(err, c.Err); errors.Is(err, syscall.ENOSPC) {
			full++
		} else if err != nil {
			t.Error(err)
		}
	}
	whole := func() (n int) {
		for name, text := range filesIn(t, dir) {
			switch file := files[name]; {
			case file != nil && string(file.Data) == text:
				n++
			case file != nil:
				t.Errorf("%s has %d bytes", name, len(text))
			}
		}
		return n
	}
	if n := whole(); full == 0 || n == 0 || n == 100 {
		t.Errorf("%d errors, and %d files are whole", full, n)
	}
	if err := syscall.Mount("mirror", dir, "tmpfs", syscall.MS_REMOUNT, "size=10m"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		changes(t, newMirror(t, dir), s.URL+"/pub/")
	}
	if n := whole(); n != 100 {
		t.Errorf("with room, %d files are whole", n)
	}
	entries, _ := os.ReadDir(filepath.Join(dir, hostDir(t, dir), "pub"))
	if len(entries) != 100 {
		t.Errorf("%d files are there", len(entries))
	}
}
