package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A tool is one command that is measured.
type tool struct {
	name string                     // the program, and perhaps how it is used
	args func(work string) []string // what it is given to write into work/out
	path string
	runs []measurement
}

type measurement struct {
	wall, cpu time.Duration
	memory    int64 // bytes at the peak; 0 if that is not known
}

// measure runs a tool once, which is to write so many bytes.
func measure(t *tool, work string, size int64) (measurement, error) {
	out := filepath.Join(work, "out")
	if err := errors.Join(empty(out), warm(work, size), empty(out)); err != nil {
		return measurement{}, err
	}
	cmd := exec.Command(t.path, t.args(work)...)
	cmd.Dir = work
	begin := time.Now()
	output, err := cmd.CombinedOutput()
	wall := time.Since(begin)
	if err != nil {
		return measurement{}, fmt.Errorf("%w: %.300s", err, output)
	}
	state := cmd.ProcessState
	return measurement{wall: wall, cpu: state.UserTime() + state.SystemTime(), memory: peak(state)}, nil
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
		wall:   time.Duration(figure(func(m measurement) int64 { return int64(m.wall) })),
		cpu:    time.Duration(figure(func(m measurement) int64 { return int64(m.cpu) })),
		memory: figure(func(m measurement) int64 { return m.memory }),
	}
}

// warm writes twice as much as is going to be written, so that a virtual machine has that
// much memory: it may have given back to its host what was free, and would have to ask for
// it again in the middle of the run of one tool or another.
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
