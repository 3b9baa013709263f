//go:build !unix

package term

// OnResize never calls f: this system has no signal for a resized terminal.
func OnResize(f func()) (stop func()) { return func() {} }
