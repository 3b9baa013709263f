//go:build unix

package fault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
)

// planted makes a trial in which plant replaces the files of an interrupted download, as
// another user might; it gets the names of the partial file and of its journal. The
// planted files may stay, and the download has to be right and the client's own file.
func planted(plant func(s *scene, part, journal string) error) func(*scene) string {
	return func(s *scene) string {
		s.Cleanup(func() {
			info, err := os.Lstat(filepath.Join(s.dir, "f.bin"))
			if err != nil {
				return // the verdict reports that
			}
			is := info.Sys().(*syscall.Stat_t)
			if !info.Mode().IsRegular() || int(is.Uid) != os.Geteuid() || is.Nlink != 1 || info.Mode().Perm()&0o022 != 0 {
				s.Errorf("the file is of user %d and has %d links and mode %v", is.Uid, is.Nlink, info.Mode())
			}
		})
		return sparing("*", interrupted(func(s *scene) error {
			name := filepath.Join(s.dir, "f.bin.part")
			return plant(s, name, name+".json")
		}, nil))(s)
	}
}

// precious is planted with a file outside of the directory, which must not change.
func precious(plant func(outside, part, journal string) error) func(*scene) string {
	return planted(func(s *scene, part, journal string) error {
		outside, err := file(s.TempDir(), "outside")
		if err != nil {
			return err
		}
		s.Cleanup(func() {
			if got, err := os.ReadFile(outside); string(got) != "precious" {
				s.Errorf("the file outside is %.20q, %v", got, err)
			}
		})
		return plant(outside, part, journal)
	})
}

// evil writes a partial file with other octets.
func evil(part string) error {
	return os.WriteFile(part, bytes.Repeat([]byte("evil"), len(large.data)/4), 0o600)
}

// replace removes a file, and calls by to make another one in its place.
func replace(name string, by func(name string) error) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	return by(name)
}

func fifo(name string) error { return syscall.Mkfifo(name, 0o666) }
func dir(name string) error  { return os.Mkdir(name, 0o777) }

// foreigner gives a planted file to another user if the test is root, and otherwise makes
// it writable by all.
func foreigner(name string) error {
	if os.Geteuid() != 0 {
		return os.Chmod(name, 0o666)
	}
	return os.Chown(name, 12345, 12345)
}

// open makes the directory writable by all, like /tmp.
func open(s *scene) error { return os.Chmod(s.dir, 0o777|os.ModeSticky) }

var plantedTrials = inSecondRun([]trial{
	{name: "the partial file is a symbolic link", serve: precious(func(outside, part, _ string) error {
		return replace(part, func(name string) error { return os.Symlink(outside, name) })
	})},
	{name: "the partial file is a symbolic link to one of the same size", serve: planted(func(s *scene, part, _ string) error {
		outside := filepath.Join(s.TempDir(), "outside")
		if err := os.Rename(part, outside); err != nil {
			return err
		}
		if err := evil(outside); err != nil {
			return err
		}
		return os.Symlink(outside, part)
	})},
	{name: "the part is a symbolic link to nothing", serve: planted(func(s *scene, part, _ string) error {
		nothing := filepath.Join(s.TempDir(), "nothing")
		s.Cleanup(func() {
			if _, err := os.Lstat(nothing); err == nil {
				s.Error("a file was made behind the link")
			}
		})
		return replace(part, func(name string) error { return os.Symlink(nothing, name) })
	})},
	{name: "the partial file is a hard link", serve: precious(func(outside, part, _ string) error {
		return replace(part, func(name string) error { return os.Link(outside, name) })
	})},
	{name: "the partial file has a second name", serve: planted(func(s *scene, part, _ string) error {
		if err := evil(part); err != nil {
			return err
		}
		return os.Link(part, filepath.Join(s.TempDir(), "second"))
	})},
	{name: "the partial file is a pipe", serve: planted(func(_ *scene, part, _ string) error { return replace(part, fifo) })},
	{name: "the partial file is a directory", serve: planted(func(_ *scene, part, _ string) error { return replace(part, dir) })},
	{name: "the part is a symbolic link to a pipe", serve: planted(func(s *scene, part, _ string) error {
		pipe := filepath.Join(s.TempDir(), "pipe")
		if err := fifo(pipe); err != nil {
			return err
		}
		return replace(part, func(name string) error { return os.Symlink(pipe, name) })
	})},
	{name: "the journal is a symbolic link", serve: precious(func(outside, _, journal string) error {
		return replace(journal, func(name string) error { return os.Symlink(outside, name) })
	})},
	{name: "the journal is a symbolic link to itself", serve: planted(func(s *scene, _, journal string) error {
		moved := filepath.Join(s.TempDir(), "journal")
		if err := os.Rename(journal, moved); err != nil {
			return err
		}
		return os.Symlink(moved, journal)
	})},
	{name: "the journal is a hard link", serve: precious(func(outside, _, journal string) error {
		return replace(journal, func(name string) error { return os.Link(outside, name) })
	})},
	{name: "the journal is a pipe", serve: planted(func(_ *scene, _, journal string) error { return replace(journal, fifo) })},
	{name: "the journal is a directory", serve: planted(func(_ *scene, _, journal string) error { return replace(journal, dir) })},
	{name: "the partial file is of another user", serve: planted(func(_ *scene, part, _ string) error {
		if err := evil(part); err != nil {
			return err
		}
		return foreigner(part)
	})},
	{name: "the journal is of another user", serve: planted(func(_ *scene, part, journal string) error {
		if err := evil(part); err != nil {
			return err
		}
		return foreigner(journal)
	})},
	{name: "partial file and journal are of another user, in a directory for all", serve: planted(func(s *scene, part, journal string) error {
		if err := evil(part); err != nil {
			return err
		}
		if err := foreigner(part); err != nil {
			return err
		}
		if err := foreigner(journal); err != nil {
			return err
		}
		return open(s)
	})},
	{name: "every user may write to the partial file", serve: planted(func(_ *scene, part, _ string) error {
		if err := evil(part); err != nil {
			return err
		}
		return os.Chmod(part, 0o666)
	})},
	{name: "all may write to the journal", serve: planted(func(_ *scene, part, journal string) error {
		if err := evil(part); err != nil {
			return err
		}
		return os.Chmod(journal, 0o666)
	})},
	{name: "the partial file is read-only", serve: planted(func(_ *scene, part, _ string) error { return os.Chmod(part, 0o400) })},
	{name: "the name of the partial file and its hundred successors are taken", serve: planted(func(s *scene, part, journal string) error {
		if err := os.Remove(journal); err != nil {
			return err
		}
		for n := range 100 {
			if err := os.WriteFile(filepath.Join(s.dir, "f.bin."+string(rune('0'+n/10))+string(rune('0'+n%10))+".part"), []byte("precious"), 0o600); err != nil {
				return err
			}
		}
		return evil(part)
	})},
})

// inSecondRun makes trials of two runs; the second has to save large.
func inSecondRun(trials []trial) []trial {
	for i := range trials {
		trials[i].does, trials[i].twice, trials[i].data, trials[i].want = inTwoRuns, true, isLarge, mustBeRight
	}
	return trials
}
