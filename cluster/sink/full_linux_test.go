package sink

import (
	"errors"
	"syscall"
	"testing"
)

// small returns a directory on a file system of 300 KiB. room gives it more.
func small(t *testing.T) (dir string, room func()) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("sink", dir, "tmpfs", 0, "size=300k"); err != nil {
		t.Skip("it takes a small file system: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir, func() {
		if err := syscall.Mount("sink", dir, "tmpfs", syscall.MS_REMOUNT, "size=10m"); err != nil {
			t.Fatal(err)
		}
	}
}

// A disk that is full is an error that says so. Each file is whole, none is left in tmp, and once
// there is room the rest is kept.
func TestDiskFull(t *testing.T) {
	dir, room := small(t)
	d := newDir(t, dir)
	keep := func() (full int) {
		for i := range 40 {
			_, err := store(t.Context(), d, content(uint64(i), 1000+i%2*100_000))
			if errors.Is(err, syscall.ENOSPC) {
				full++
			} else if err != nil {
				t.Error(err)
			}
		}
		return full
	}
	full := keep()
	if full == 0 || full == 40 {
		t.Errorf("%d bodies of 40 found no room", full)
	}
	checkWhole(t, dir, 40-full)
	room()
	if full := keep(); full > 0 {
		t.Errorf("with room, %d bodies found none", full)
	}
	checkWhole(t, dir, 40)
}
