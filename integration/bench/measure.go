package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// A tool is one command that is measured.
type tool struct {
	name  string                     // the program, and perhaps how it is used
	args  func(work string) []string // arguments to write into work/out
	path  string
	twice bool // the first run is not measured, and its files stay for the second
	runs  []measurement
}

type measurement struct {
	wall, cpu   time.Duration
	memory      int64 // bytes at the peak; 0 if that is not known
	connections int   // that the tool has opened over a line
}

// A scene is where a case is played, until clean is called.
type scene struct {
	// do calls a function in a thread that does not change, in the network of the case. If
	// nil, that is the network of this program.
	do          func(func() error) error
	connections func() int    // that were opened since the last call; nil if that is not known
	remark      func() string // about the line, at the end; nil without one
	clean       func()
}

// measure runs a tool once. The tool writes a number of bytes.
func measure(t *tool, s scene, work string, size int64) (m measurement, err error) {
	out := filepath.Join(work, "out")
	if err := errors.Join(empty(out), warm(work, size), empty(out)); err != nil {
		return m, err
	}
	output, err := os.Create(filepath.Join(work, "output"))
	if err != nil {
		return m, err
	}
	defer output.Close()
	do := s.do
	if do == nil {
		do = onThread
	}
	run := func() error {
		cmd := exec.Command(t.path, t.args(work)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = work, output, output
		if s.connections != nil {
			s.connections()
		}
		err := do(func() (err error) { m, err = runProcess(cmd); return err })
		if err != nil {
			said, _ := os.ReadFile(output.Name())
			err = fmt.Errorf("%w: %.300s", err, said)
		}
		return err
	}
	if t.twice {
		if err := run(); err != nil {
			return m, err
		}
	}
	if err := run(); err != nil {
		return m, err
	}
	if s.connections != nil {
		m.connections = s.connections()
	}
	return m, nil
}

// onThread calls f in a thread that does not change.
func onThread(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f()
}

// median returns the median of each figure by itself.
func (t *tool) median() measurement {
	figure := func(of func(measurement) int64) int64 {
		var all []int64
		for _, m := range t.runs {
			all = append(all, of(m))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return measurement{
		wall:        time.Duration(figure(func(m measurement) int64 { return int64(m.wall) })),
		cpu:         time.Duration(figure(func(m measurement) int64 { return int64(m.cpu) })),
		memory:      figure(func(m measurement) int64 { return m.memory }),
		connections: int(figure(func(m measurement) int64 { return int64(m.connections) })),
	}
}

// warm writes twice as much as a run will write, so that a virtual machine has that much memory.
// The machine may have returned free memory to its host, and would request it again in the middle
// of the run of some tool.
func warm(work string, size int64) error {
	file, err := os.Create(filepath.Join(work, "out", "warm"))
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, io.LimitReader(zeros{}, 2*size), make([]byte, 1<<20))
	return errors.Join(err, file.Close())
}

// zeros are without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// empty makes a directory, or makes it empty.
func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o777)
}
