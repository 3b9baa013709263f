// Package leak tells whether tests leave something behind: a goroutine, a socket, an
// open file.
//
//	func TestMain(m *testing.M) { leak.Main(m) }
//
// Descriptors are seen on Linux only.
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

// patience is how long what is about to end may take to do so.
const patience = time.Second

// A Mark is what there was at some time.
type Mark struct {
	goroutines  goleak.Option
	descriptors map[string]bool
}

// Now returns what there is now.
func Now() Mark {
	return Mark{goleak.IgnoreCurrent(), descriptors()}
}

// Check returns an error that tells what is there and was not at the mark, after a
// moment for what is about to end.
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
		late := time.Since(began) > patience // also after a slow collection the descriptors are read once more
		if pipes == len(left) {
			runtime.GC() // The runtime keeps pipes, to splice with, until then.
		}
		if late {
			return errors.Join(err, fmt.Errorf("%d descriptors are open: %q", len(left), left))
		}
	}
}

// A Suite is the tests of a package, which fail if they leave something behind.
type Suite struct {
	*testing.M
	End func() // called after the tests; it closes what they have shared
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
