package line

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// An End is one end of a line: a network namespace with ::1, 127.0.0.1 and the address of
// that end, and no other way out.
type End struct {
	calls chan func()
}

// newEnd makes a namespace. A thread of its own is in it until stop is called.
func newEnd() (e *End, stop func(), err error) {
	e = &End{make(chan func())}
	entered := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this function
		err := syscall.Unshare(syscall.CLONE_NEWNET)
		entered <- err
		if err != nil {
			return
		}
		for f := range e.calls {
			f()
		}
	}()
	if err := <-entered; err != nil {
		return nil, nil, fmt.Errorf("line: a network namespace (only root may make one): %w", err)
	}
	return e, sync.OnceFunc(func() { close(e.calls) }), nil
}

// Do calls f in the namespace, in a thread that is the same each time. Goroutines that f
// starts are not in the namespace; processes are. It must not be called after Close.
func (e *End) Do(f func() error) error {
	done := make(chan error)
	e.calls <- func() { done <- f() }
	return <-done
}

// Start starts a command in the namespace. The caller waits for it.
func (e *End) Start(cmd *exec.Cmd) error { return e.Do(cmd.Start) }

// Serve starts a server in the namespace, as the leader of a process group. The caller
// calls stop, which ends the group and waits for it. If this process ends before, the
// kernel ends the server.
func (e *End) Serve(cmd *exec.Cmd) (stop func(), err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := e.Start(cmd); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() {
		group := -cmd.Process.Pid
		syscall.Kill(group, syscall.SIGTERM)
		late := time.AfterFunc(2*time.Second, func() { syscall.Kill(group, syscall.SIGKILL) })
		cmd.Wait()
		late.Stop()
		// Children that outlived the server are gone once there is no group any more.
		for begin := time.Now(); syscall.Kill(group, syscall.SIGKILL) == nil && time.Since(begin) < 2*time.Second; {
			time.Sleep(time.Millisecond)
		}
	}), nil
}

// prepare sets up the device of the namespace, and TCP.
func (e *End) prepare(device, addr string) error {
	return e.Do(func() error {
		if err := ip("link set lo up", "addr add "+addr+"/24 dev "+device,
			"link set "+device+" mtu 1500 txqueuelen 10000 up"); err != nil {
			return err
		}
		// A client would otherwise begin with the thresholds that the one before it has left.
		return sysctl("tcp_no_metrics_save", "1")
	})
}

// control sets the congestion control of the namespace. Of those that the kernel has, it
// takes some only while the whole machine is allowed to use them; so it is, meanwhile.
func (e *End) control(name string) error {
	const allowed = "tcp_allowed_congestion_control"
	set := func() error { return sysctl("tcp_congestion_control", name) }
	err := e.Do(set)
	if errors.Is(err, fs.ErrPermission) {
		text, readErr := os.ReadFile(variables + allowed)
		before := strings.TrimSpace(string(text))
		if err := errors.Join(readErr, sysctl(allowed, before+" "+name)); err != nil {
			return err
		}
		err = errors.Join(e.Do(set), sysctl(allowed, before))
	}
	if errors.Is(err, fs.ErrNotExist) {
		known, _ := os.ReadFile(variables + "tcp_available_congestion_control")
		return fmt.Errorf("line: the kernel has no congestion control %q, but %s", name, known)
	}
	return err
}

func ip(lines ...string) error {
	for _, line := range lines {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("line: ip %s: %w: %s", line, err, out)
		}
	}
	return nil
}

// variables is where the kernel has those of IPv4, of the namespace of the thread.
const variables = "/proc/sys/net/ipv4/"

func sysctl(name, value string) error {
	return os.WriteFile(variables+name, []byte(value), 0)
}
