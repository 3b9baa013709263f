//go:build !linux

package main

import (
	"os/exec"
	"time"
)

// runProcess runs a command and returns its figures. The memory is not known here: systems count it
// differently.
func runProcess(cmd *exec.Cmd) (measurement, error) {
	begin := time.Now()
	err := cmd.Run()
	m := measurement{wall: time.Since(begin)}
	if state := cmd.ProcessState; state != nil {
		m.cpu = state.UserTime() + state.SystemTime()
	}
	return m, err
}
