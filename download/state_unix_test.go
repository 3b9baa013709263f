//go:build unix

package download_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// On a full disk only the new line is lost: earlier lines stay, and later ones are added when there
// is space again.
func TestStateFull(t *testing.T) {
	if !inChild(t) {
		return
	}
	name := filepath.Join(t.TempDir(), "state")
	s := openState(t, name)
	if err := s.Add(download.Done{URL: "http://h/1"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	end := limitFiles(t, info.Size()+10)
	if s.Add(download.Done{URL: "http://h/2"}) == nil {
		t.Error("there was room")
	}
	end()
	if err := s.Add(download.Done{URL: "http://h/3"}); err != nil {
		t.Error(err)
	}
	s.Close()
	s = openState(t, name)
	if !s.Has("http://h/1", "", download.Sum{}) || s.Has("http://h/2", "", download.Sum{}) || !s.Has("http://h/3", "", download.Sum{}) {
		t.Errorf("it has the first: %v, the second: %v, the third: %v; want all but the second", s.Has("http://h/1", "", download.Sum{}), s.Has("http://h/2", "", download.Sum{}), s.Has("http://h/3", "", download.Sum{}))
	}
}

// inChild runs a test in its own process, for settings of a whole process. It reports whether this
// is that process.
func inChild(t *testing.T) bool {
	t.Helper()
	if os.Getenv("TEST_CHILD") != "" {
		return true
	}
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	child.Env = append(os.Environ(), "TEST_CHILD=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// limitFiles limits the size of all files of this process until end is called.
func limitFiles(t *testing.T, size int64) (end func()) {
	t.Helper()
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	limited := usual
	assign(&limited.Cur, size)
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	return func() {
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual)
		signal.Reset(syscall.SIGXFSZ)
	}
}

// assign assigns n to a field that is signed on some systems.
func assign[T int64 | uint64](field *T, n int64) { *field = T(n) }

// A file that is not regular is refused as a State, without waiting for it.
func TestStateIrregular(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, "/dev/zero", t.TempDir()} {
		if s, err := download.OpenState(name); err == nil {
			s.Close()
			t.Errorf("%s was taken for a state", name)
		}
	}
}
