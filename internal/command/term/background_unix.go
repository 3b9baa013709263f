//go:build unix

package term

import (
	"io"

	"golang.org/x/sys/unix"
)

// inBackground reports whether out is a terminal at which another job is in the foreground.
func inBackground(out io.Writer) bool {
	f := fileOf(out)
	if f == nil || !isTerminal(f) {
		return false
	}
	foreground, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground != unix.Getpgrp()
}
