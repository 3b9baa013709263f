package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const supported = true

// detach gives cmd a session and a process group of its own, so that it stays
// when we go and can be ended together with its children.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// lock waits until no other process has locked the file.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// owned refuses a directory that is not ours: the default one is in a place
// where anyone could have made it before us.
func owned(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !fi.IsDir() || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a directory of user %d", dir, os.Getuid())
	}
	return nil
}

func processOf(pid int) (process, bool) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return process{}, false
	}
	p, err := parseStat(string(b))
	return p, err == nil && p.state != "Z"
}

// alive reports whether the recorded process still runs.
func (r record) alive() bool {
	p, ok := processOf(r.PID)
	return ok && r.PID > 0 && p.start == r.Start
}

// running returns the remaining processes of the server: all with its mark in their environment,
// and all of its session, since some write their title over the environment (nginx's workers). Both
// can outlive the first process, and vsftpd's have sessions of their own. If the process id belongs
// to another program now, the session may too.
func (r record) running() []process {
	if r.PID <= 0 {
		return nil
	}
	first, ok := processOf(r.PID)
	session := !ok || first.start == r.Start
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var list []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		p, ok := processOf(pid)
		if !ok {
			continue
		}
		if session && p.session == r.PID && (pid == r.PID || p.command == r.Command) || r.marks(pid) {
			list = append(list, p)
		}
	}
	return list
}

// marks looks for r's mark in the environment of a process.
func (r record) marks(pid int) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && r.Mark != "" && slices.Contains(strings.Split(string(env), "\x00"), r.Mark)
}

// stop sends SIGTERM to the server, then to its remaining processes, and after 5 seconds SIGKILL.
func (r record) stop() error {
	if r.alive() {
		if err := signal(r.PID, syscall.SIGTERM); err != nil {
			return err
		}
	}
	asked, unseen := false, false
	for began := time.Now(); time.Since(began) < 7*time.Second; time.Sleep(poll) {
		late := time.Since(began) > 5*time.Second
		if r.alive() && !late {
			continue
		}
		left := r.running()
		if len(left) == 0 && unseen {
			return nil
		}
		if unseen = len(left) == 0; unseen {
			continue // a process in execve has no environment yet: look again
		}
		sig := syscall.SIGTERM
		if late {
			sig = syscall.SIGKILL
		} else if asked {
			continue
		}
		asked = true
		for _, p := range left {
			if err := signal(p.pid, sig); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("process %d or a child of it does not end", r.PID)
}

// signal sends a signal. That the process has ended is no error.
func signal(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal %d to %d: %w", sig, pid, err)
	}
	return nil
}
