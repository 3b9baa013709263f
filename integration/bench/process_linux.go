package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// runProcess runs a command, whose output must be a file, and returns its figures. The
// thread that calls it must not change.
//
// The kernel's ru_maxrss cannot be used for the memory: a process begins with that of the
// one that has started it, which is this program. So the process is traced, stops before it
// gives its memory back, and its own peak is read then. Nothing else of it is traced, and
// none of its other threads.
func runProcess(cmd *exec.Cmd) (measurement, error) {
	const exitKill = 0x100000 // PTRACE_O_EXITKILL: the process ends with this one
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return measurement{}, err
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	var m measurement
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for first := true; ; first = false {
		if _, err := syscall.Wait4(pid, &status, 0, &usage); err != nil {
			if err == syscall.EINTR {
				continue
			}
			return m, fmt.Errorf("wait for %s: %w", cmd.Path, err)
		}
		signal := 0
		switch {
		case !status.Stopped():
			m.wall = time.Since(begin)
			m.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
			if status.ExitStatus() != 0 {
				return m, endedWith(status)
			}
			return m, nil
		case first: // the program has been loaded
			if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACEEXIT|exitKill); err != nil {
				cmd.Process.Kill()
				return m, fmt.Errorf("trace %s: %w", cmd.Path, err)
			}
		case status.TrapCause() == syscall.PTRACE_EVENT_EXIT:
			m.memory = peak(pid)
		default:
			signal = int(status.StopSignal())
		}
		syscall.PtraceCont(pid, signal) // fails if it was killed meanwhile, which Wait4 returns
	}
}

func endedWith(status syscall.WaitStatus) error {
	if status.Signaled() {
		return fmt.Errorf("signal: %v", status.Signal())
	}
	return fmt.Errorf("exit status %d", status.ExitStatus())
}

// peak returns the most memory that a process has had, in bytes, or 0 if that is not known.
func peak(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	line, _, _ := strings.Cut(string(after), "kB")
	n, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return n << 10
}
