package pty

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// screenTimeout is the timeout for a text to appear on the screen.
const screenTimeout = 20 * time.Second

// A Terminal is a pseudo-terminal with a running command.
type Terminal struct {
	t     testing.TB
	near  *os.File // the user's side
	far   *os.File // the command's side
	cmd   *exec.Cmd
	first syscall.Termios // the settings before the command began
	ended chan struct{}
	err   error // of the command; valid after ended is closed

	mu     sync.Mutex
	screen strings.Builder
	seen   int // length of the output that Await has passed
}

// Start runs cmd at a new terminal of the given size, as a session leader. It ends with the test.
func Start(t testing.TB, cmd *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	near, far, err := open()
	if err != nil {
		t.Fatal(err)
	}
	term := &Terminal{t: t, near: near, far: far, cmd: cmd, ended: make(chan struct{})}
	term.Resize(width, height)
	term.first = term.State()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		io.Copy(term, near)
	}()
	go func() {
		term.err = cmd.Wait()
		close(term.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-term.ended
		far.Close()
		near.Close()
		<-shown
	})
	return term
}

// open opens the two sides of a pseudo-terminal, near for the user and far for the command.
func open() (near, far *os.File, err error) {
	near, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	var number, locked int32
	if err = control(near, syscall.TIOCSPTLCK, unsafe.Pointer(&locked)); err == nil {
		err = control(near, syscall.TIOCGPTN, unsafe.Pointer(&number))
	}
	if err == nil {
		far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		near.Close()
	}
	return near, far, err
}

// control makes an ioctl without changing the mode of the file.
func control(f *os.File, request uintptr, argument unsafe.Pointer) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	})
	if err == nil && errno != 0 {
		err = errno
	}
	return err
}

// Write appends output of the command to the screen.
func (term *Terminal) Write(p []byte) (int, error) {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.Write(p)
}

// Screen returns all output so far.
func (term *Terminal) Screen() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.String()
}

// Type types text.
func (term *Terminal) Type(text string) {
	term.t.Helper()
	if _, err := io.WriteString(term.near, text); err != nil {
		term.t.Fatal(err)
	}
}

// Await waits until text appears, after the text of the last Await.
func (term *Terminal) Await(text string) {
	term.t.Helper()
	for deadline := time.Now().Add(screenTimeout); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		screen := term.Screen()
		if at := strings.Index(screen[term.seen:], text); at >= 0 {
			term.seen += at + len(text)
			return
		}
	}
	term.t.Fatalf("%q does not appear; the screen shows\n%q", text, term.Screen())
}

// Wait waits until the command has ended and all its output is on the screen. It returns the exit
// status.
func (term *Terminal) Wait() int {
	term.t.Helper()
	select {
	case <-term.ended:
	case <-time.After(screenTimeout):
		term.t.Fatalf("the command does not end; the screen shows\n%q", term.Screen())
	}
	const mark = "\x1ethat is all\x1e"
	if _, err := io.WriteString(term.far, mark); err != nil {
		term.t.Fatal(err)
	}
	for !term.erase(mark) {
		time.Sleep(time.Millisecond)
	}
	return term.cmd.ProcessState.ExitCode()
}

// erase removes a mark at the end of the screen, and reports whether it was there.
func (term *Terminal) erase(mark string) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	rest, found := strings.CutSuffix(term.screen.String(), mark)
	if found {
		term.screen.Reset()
		term.screen.WriteString(rest)
	}
	return found
}

// Resize changes the size of the terminal, and the command is notified.
func (term *Terminal) Resize(width, height int) {
	term.t.Helper()
	size := [4]uint16{uint16(height), uint16(width)}
	if err := control(term.near, syscall.TIOCSWINSZ, unsafe.Pointer(&size)); err != nil {
		term.t.Fatal(err)
	}
}

// Signal sends a signal to the command.
func (term *Terminal) Signal(s os.Signal) {
	term.t.Helper()
	if err := term.cmd.Process.Signal(s); err != nil {
		term.t.Fatal(err)
	}
}

// First returns the settings of the terminal before the command began.
func (term *Terminal) First() syscall.Termios { return term.first }

// State returns the current settings of the terminal, such as raw mode.
func (term *Terminal) State() (state syscall.Termios) {
	term.t.Helper()
	if err := control(term.far, syscall.TCGETS, unsafe.Pointer(&state)); err != nil {
		term.t.Fatal(err)
	}
	return state
}
