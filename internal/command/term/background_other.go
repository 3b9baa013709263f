//go:build !unix

package term

import "io"

// inBackground returns false: there are no jobs.
func inBackground(io.Writer) bool { return false }
