package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestMain makes this program allocate the number of MiB in its environment.
func TestMain(m *testing.M) {
	if mib, err := strconv.Atoi(os.Getenv("BENCH_TEST_ALLOCATE")); err == nil {
		touch(mib)
		return
	}
	os.Exit(m.Run())
}

// touch allocates a number of MiB for a moment, outside of Go's heap, for which the race detector
// takes several times as much.
func touch(mib int) {
	b, err := syscall.Mmap(-1, 0, mib<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	for i := range b {
		b[i] = 1
	}
	syscall.Munmap(b)
}

// The memory of a tool does not include that of this program, which has used 100 MiB before it
// starts the tool.
func TestMemoryOfTheProcessItself(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	touch(100)
	for _, c := range []struct {
		name  string
		args  []string
		env   string
		least int64 // MiB
		most  int64
	}{
		{"a small process", []string{"sleep", "0"}, "", 0, 6},
		{"40 MiB", []string{self}, "BENCH_TEST_ALLOCATE=40", 40, 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := exec.LookPath(c.args[0])
			if err != nil {
				t.Skip(err)
			}
			cmd := exec.Command(path, c.args[1:]...)
			cmd.Env = append(os.Environ(), c.env)
			var m measurement
			if err := onThread(func() (err error) { m, err = runProcess(cmd); return err }); err != nil {
				t.Fatal(err)
			}
			if m.memory <= 0 || m.memory < c.least<<20 || m.memory > c.most<<20 {
				t.Errorf("the peak is %d KiB, want %d to %d MiB", m.memory>>10, c.least, c.most)
			}
			if m.wall <= 0 || m.cpu <= 0 {
				t.Errorf("it took %v and %v of the processor", m.wall, m.cpu)
			}
		})
	}
}

// TestProcessThatFails: signals reach a process that is measured, and how it ends is
// reported.
func TestProcessThatFails(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3":                   "exit status 3",
		"kill -TERM $$; sleep 100": "signal: terminated",
		"kill -KILL $$; sleep 100": "signal: killed",
		"trap 'exit 4' USR1; kill -USR1 $$; sleep 0; exit 0": "exit status 4",
	} {
		err := onThread(func() error { _, err := runProcess(exec.Command("sh", "-c", script)); return err })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
	if err := onThread(func() error { _, err := runProcess(exec.Command("/nowhere/tool")); return err }); err == nil {
		t.Error("a program that is not there has run")
	}
}
