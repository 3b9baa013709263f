package main

import (
	"fmt"
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

// measure runs a tool once.
func measure(t *tool, work string) (measurement, error) {
	if err := empty(filepath.Join(work, "out")); err != nil {
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

// empty makes a directory, or makes it empty.
func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o777)
}
