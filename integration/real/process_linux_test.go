package main

import (
	"os"
	"os/exec"
	"testing"
)

// A child in a session of its own, as vsftpd's are, is found by its mark after
// the first process has gone.
func TestStopFindsChildrenInOtherSessions(t *testing.T) {
	const mark = "FETCH_REAL_MARK=TestStopFindsChildrenInOtherSessions"
	cmd := exec.Command("/bin/sh", "-c", "setsid sleep 60 & wait")
	cmd.Env = append(os.Environ(), mark)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	p, ok := processOf(cmd.Process.Pid)
	if !ok {
		t.Fatal("the process has no line")
	}
	r := record{PID: p.pid, Start: p.start, Command: "sh", Mark: mark}
	if !r.alive() {
		t.Error("not alive")
	}
	other := r
	other.Start++
	if other.alive() {
		t.Error("another process with that number is taken for it")
	}
	go cmd.Wait()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if left := r.running(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

func TestStopWithoutAProcess(t *testing.T) {
	if err := (record{}).stop(); err != nil {
		t.Error(err)
	}
}
