//go:build !linux

package line

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// An End is one end of a line.
type End struct{}

// New returns an error here: other systems have no network namespaces.
func New(Options) (*Line, error) {
	return nil, fmt.Errorf("line: %w on %s", errors.ErrUnsupported, runtime.GOOS)
}

// Do is never called here.
func (*End) Do(func() error) error { return errors.ErrUnsupported }

// Start is never called here.
func (*End) Start(*exec.Cmd) error { return errors.ErrUnsupported }

// Serve is never called here.
func (*End) Serve(*exec.Cmd) (stop func(), err error) { return nil, errors.ErrUnsupported }
