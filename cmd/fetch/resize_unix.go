//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onResize calls f whenever the size of the terminal changes, until stop is called.
func onResize(f func()) (stop func()) {
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
