// Package leak checks whether tests leak goroutines, sockets or open files:
//
//	func TestMain(m *testing.M) { leak.Main(m) }
//
// File descriptors are checked only on Linux.
package leak

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// grace is how long ending goroutines and closing files may take.
const grace = time.Second

// A Mark records the goroutines and files of a moment.
type Mark struct {
	goroutines  goleak.Option
	descriptors map[string]bool
}

// Now returns a Mark of the current state.
func Now() Mark {
	return Mark{goleak.IgnoreCurrent(), descriptors()}
}

// Check returns an error that lists new goroutines and files since the Mark. It waits a moment for
// those that are about to end.
func (m Mark) Check() error {
	err := goleak.Find(m.goroutines)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		var left []string
		pipes := 0
		for d := range descriptors() {
			if !m.descriptors[d] {
				left = append(left, d)
				if strings.Contains(d, " pipe:") {
					pipes++
				}
			}
		}
		if len(left) == 0 {
			return err
		}
		late := time.Since(began) > grace // after a slow collection, check the descriptors once more
		if pipes == len(left) {
			runtime.GC() // the runtime keeps pipes for splice until a collection
		}
		if late {
			return errors.Join(err, fmt.Errorf("%d descriptors are open: %q", len(left), left))
		}
	}
}

// A Suite is the tests of a package, which fail if they leak.
type Suite struct {
	*testing.M
	End func() // called after the tests to close shared resources
}

// Run runs the tests, and returns the exit status.
func (s Suite) Run() int {
	before := Now()
	status := s.M.Run()
	if s.End != nil {
		s.End()
	}
	if status == 0 {
		if err := before.Check(); err != nil {
			fmt.Fprintln(os.Stderr, "left behind:", err)
			status = 1
		}
	}
	return status
}

// Main runs the tests of a package and exits.
func Main(m *testing.M) { os.Exit(Suite{M: m}.Run()) }
