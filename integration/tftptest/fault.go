package tftptest

import (
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of a transfer.
type Fault struct {
	Path  string // the file; "" means any
	Block int    // at which block it strikes, if it is about blocks; 0 is each
	Do    Action // the effect
	Once  bool   // strike one transfer only
}

// String returns the fault as "boot/image: Stall at block 4, once".
func (f Fault) String() string {
	return server.Describe("RRQ", f.Path, f.Do.String(), int64(f.Block), f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Silent       Action = iota // nothing is sent from the block on
	GiveUp                     // an error in place of the block ends the transfer
	Double                     // the block is sent twice
	Wrong                      // a block with a number far ahead comes before it
	Stray                      // an acknowledgement comes before it, which a server never sends
	OtherPort                  // a block of the same number, from another port, comes before it
	OtherMachine               // all comes from 127.0.0.2
	TooLong                    // the block is longer than agreed
	OneMore                    // tsize is one octet less than there are
	OneLess                    // tsize is one octet more than there are
	Greedy                     // blksize is more than was asked for
	Unasked                    // an option that was not asked for
	Junk                       // the answer is no TFTP
	SkipZero                   // after block 65535 comes 1
)

var actions = []string{"Silent", "GiveUp", "Double", "Wrong", "Stray", "OtherPort", "OtherMachine", "TooLong", "OneMore", "OneLess", "Greedy", "Unasked", "Junk", "SkipZero"}

// String returns the name of the action, such as "Silent".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes transfers go wrong.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

type fault struct {
	Fault
	used atomic.Bool
}

// faultsOf returns the faults of a transfer of a file.
func (s *Server) faultsOf(file string) (all []Fault) {
	for _, f := range s.faults {
		if (f.Path == "" || f.Path == file) && (!f.Once || f.used.CompareAndSwap(false, true)) {
			all = append(all, f.Fault)
		}
	}
	return all
}
