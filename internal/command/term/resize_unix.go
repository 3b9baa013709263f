//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
)

// OnResize calls f whenever the size of the terminal changes, until the caller calls
// stop.
func OnResize(f func()) (stop func()) {
	changed := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-changed:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changed)
		close(done)
	}
}
