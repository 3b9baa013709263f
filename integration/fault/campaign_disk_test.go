//go:build linux

package fault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// These shell scripts mount a small file system in memory over the directory of the
// trial, in a namespace of its own. They run the command as "$@", and copy the file out.
const (
	mounted = `mount -t tmpfs -o size=%s none "$DIR" || exit 99; cd "$DIR"; "$@"; code=$?; [ -e f.bin ] && cp f.bin "$OUT"; exit $code`
	again   = `mount -t tmpfs -o size=%s none "$DIR" || exit 99; cd "$DIR"; "$@"; mount -o remount,size=9m "$DIR" || exit 99; "$@"; code=$?; [ -e f.bin ] && cp f.bin "$OUT"; ls *.part* >&2; exit $code`
)

// namespaces reports whether this system allows a mount in a namespace of our own.
var namespaces = sync.OnceValue(func() bool {
	return exec.Command("unshare", "-r", "-m", "sh", "-c", `mount -t tmpfs none /mnt`).Run() == nil
})

// onDisk makes a trial save the file on a disk of the given size.
func onDisk(script, size string, serve func(*scene) string, args ...string) func(*scene) string {
	return func(s *scene) string {
		return invoked(invocation{args: args, script: fmt.Sprintf(script, size), output: filepath.Join(s.TempDir(), "out")}, serve)(s)
	}
}

// pause stops the command when it has half of the file, and continues it after length.
func pause(length time.Duration) func(p *os.Process, half <-chan struct{}) error {
	return func(p *os.Process, half <-chan struct{}) error {
		if err := waitForHalf(half); err != nil {
			return err
		}
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		time.Sleep(length)
		return p.Signal(syscall.SIGCONT)
	}
}

// sent sends a signal to the command of the first run when it has half of the file.
func sent(signal os.Signal) func(p *os.Process, half <-chan struct{}) error {
	first := true
	return func(p *os.Process, half <-chan struct{}) error {
		if !first {
			return nil
		}
		first = false
		if err := waitForHalf(half); err != nil {
			return err
		}
		return p.Signal(signal)
	}
}

// struck makes a trial of two runs; the first gets a signal at half of large.
func struck(signal os.Signal, f *version, args ...string) func(*scene) string {
	return func(s *scene) string {
		return invoked(invocation{args: args, signals: sent(signal)}, halves(f, (*visit).wait))(s)
	}
}

// locked makes a trial of two runs. Between them it changes the partial file, and during
// the second it holds a lock on it, as another process would.
func locked(change func(part string) error) func(*scene) string {
	return func(s *scene) string {
		serve := struck(syscall.SIGKILL, &large)
		s.spared = "*"
		s.second = func() {
			part := filepath.Join(s.dir, "f.bin.part")
			if err := change(part); err != nil {
				s.Fatal(err)
			}
			f, err := os.Open(part)
			if err != nil {
				s.Fatal(err)
			}
			s.Cleanup(func() { f.Close() })
			if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
				s.Fatal(err)
			}
		}
		return serve(s)
	}
}

// rests sends the other half of large.
func rests(v *visit) {
	time.Sleep(200 * time.Millisecond)
	v.Write(large.data[len(large.data)/2:])
}

func largeFile(v *visit) { v.serve(large, all) }

// diskTrials omit the small disk if this system allows no mount.
var diskTrials = disks()

func disks() []trial {
	trials := []trial{
		{name: "a device that is full", does: "a good file, for /dev/full", serve: invoked(invocation{args: []string{"-o", "/dev/full"}}, answers(good)), want: mustFail},
	}
	if !namespaces() {
		return trials
	}
	return append(trials, []trial{
		{name: "a disk that is full at half", does: "a good file, and a disk with room for half of it", serve: onDisk(mounted, "128k", answers(good)), want: mustFail},
		{name: "a disk that is full at the first octet", does: "a good file, and there is room for one page", serve: onDisk(mounted, "4k", answers(good)), want: mustFail},
		{name: "a disk that is full before the last octet", does: "a good file, and there is room for all but a page of it", serve: onDisk(mounted, "252k", answers(good)), want: mustFail},
		{name: "a disk that is full, and segments", does: "a good file in four segments, and there is room for half of it", serve: onDisk(mounted, "3m", answers(largeFile), "--segments", "4"), data: isLarge, want: mustFail},
		{name: "a disk that is full, and then is not", does: "a good file, twice, and the second time there is room", serve: onDisk(again, "128k", answers(good)), want: mustBeRight},
		{name: "a disk that is full, and then is not, and segments", does: "a good file in four segments, twice, and the second time there is room", serve: onDisk(again, "3m", answers(largeFile), "--segments", "4"), data: isLarge, want: mustBeRight},
		{name: "a disk without room for a journal", does: "a good file, and there may be one file and a directory", serve: onDisk(mounted, "9m,nr_inodes=2", answers(good))},
		{name: "a disk without room for a file", does: "a good file, and there may be no file", serve: onDisk(mounted, "9m,nr_inodes=1", answers(good)), want: mustFail},
		{name: "a disk that is full, over FTP", does: "a good file, and a disk with room for half of it", serve: onDisk(mounted, "128k", ftp1()), want: mustFail},
	}...)
}

var signalTrials = []trial{
	{name: "a short stop in the middle", does: "half of the file, and the rest while the command is stopped by SIGSTOP", serve: func(s *scene) string {
		return invoked(invocation{signals: pause(100 * time.Millisecond)}, halves(&large, rests))(s)
	}, data: isLarge, want: mustBeRight},
	{name: "a long stop in the middle", does: "half of the file, and the rest while the command is stopped for longer than any limit", serve: func(s *scene) string {
		return invoked(invocation{signals: pause(1500 * time.Millisecond)}, halves(&large, rests))(s)
	}, data: isLarge, want: mustBeRight},
	{name: "the server ends during a stop", does: "half of the file, and the end while the command is stopped", serve: func(s *scene) string {
		return invoked(invocation{signals: pause(time.Second)}, halves(&large, ending))(s)
	}, data: isLarge, want: mustBeRight},
	{name: "the server resets during a stop", does: "half of the file, and a reset while the command is stopped", serve: func(s *scene) string {
		return invoked(invocation{signals: pause(time.Second)}, halves(&large, (*visit).reset))(s)
	}, data: isLarge, want: mustBeRight},
	{name: "the file changes during a stop", does: "half of the file, the end while the command is stopped, and then another version", serve: func(s *scene) string {
		return invoked(invocation{signals: pause(time.Second)}, halves(&otherLarge, ending))(s)
	}, data: [][]byte{otherLarge.data}, want: mustBeRight},
	{name: "killed in the middle", does: "half of the file, SIGKILL, and the command again", serve: struck(syscall.SIGKILL, &large), twice: true, data: isLarge, want: mustBeRight},
	{name: "killed in the middle, and the file changes", does: "half of the file, SIGKILL, and the command again for another version", serve: struck(syscall.SIGKILL, &otherLarge), twice: true, data: [][]byte{otherLarge.data}, want: mustBeRight},
	{name: "killed in the middle, and the file becomes smaller", does: "half of the file, SIGKILL, and the command again for a smaller version", serve: struck(syscall.SIGKILL, &v4), twice: true, data: isV4, want: mustBeRight},
	{name: "terminated in the middle", does: "half of the file, SIGTERM, and the command again", serve: struck(syscall.SIGTERM, &large), twice: true, data: isLarge, want: mustBeRight},
	{name: "interrupted in the middle", does: "half of the file, SIGINT, and the command again", serve: struck(syscall.SIGINT, &large), twice: true, data: isLarge, want: mustBeRight},
	{name: "hung up in the middle", does: "half of the file, SIGHUP, and the command again", serve: struck(syscall.SIGHUP, &large), twice: true, data: isLarge, want: mustBeRight},
	{name: "killed in the middle, and a file existed before", does: "half of the file, SIGKILL, and the command again", serve: struck(syscall.SIGKILL, &large), foreign: true, twice: true, data: isLarge, want: mustBeRight},
	{name: "another process has locked the partial file", does: "half of the file, SIGKILL, and the command again", serve: locked(func(string) error { return nil }), twice: true, data: isLarge},
	{name: "another user has locked a partial file of his own", does: "half of the file, SIGKILL, and the command again", serve: locked(func(part string) error {
		if os.Geteuid() != 0 {
			return os.Chmod(part, 0o666) // others can write it: not provably ours
		}
		return os.Chown(part, 12345, 12345)
	}), twice: true, data: isLarge, want: mustBeRight},
	{name: "two commands at once", does: "half of the file to the first command, which is stopped while a second one has a try", serve: func(s *scene) string {
		var url string
		url = invoked(invocation{signals: func(p *os.Process, half <-chan struct{}) error {
			name, err := command()
			if err := errors.Join(err, waitForHalf(half), p.Signal(syscall.SIGSTOP)); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
			defer cancel()
			err = exec.CommandContext(ctx, name, "-o", filepath.Join(s.dir, "f.bin"), url).Run()
			if err == nil || ctx.Err() != nil {
				s.Errorf("the second command: %v, and it should not write what the first one does", err)
			}
			return p.Signal(syscall.SIGCONT)
		}}, halves(&large, rests))(s)
		return url
	}, data: isLarge, want: mustBeRight},
	{name: "WINDOW_UPDATE beyond the largest window of a stream", does: "twice the largest WINDOW_UPDATE of the stream", serve: invoked(invocation{args: []string{"-m", "3"}, within: 8 * time.Second}, h2OnSocket(func(r *h2) bool {
		r.frame(windowFrame, 0, r.stream, number(1<<31-1))
		r.frame(windowFrame, 0, r.stream, number(1<<31-1))
		return false
	})), want: mustFail},
}
