package dicttest

import (
	"io"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of a definition, after After octets of its text.
type Fault struct {
	Path  string // the definition, as a name of the fs.FS ("wn/sun"); "" means any
	After int64  // octets of the text
	Do    Action // the effect
	Once  bool   // strike once only
}

// String returns the fault as "DEFINE wn/sun: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe("DEFINE", f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut   Action = iota // close the connection
	Reset               // reset it; octets on their way may be lost
	Stall               // send nothing more, until the client leaves or the server is closed
)

// String returns the name of the action, such as "Cut".
func (a Action) String() string {
	return server.Name("Action", []string{"Cut", "Reset", "Stall"}, int(a))
}

// Faults makes definitions go wrong. Each gets the first fault for it that is not used up.
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

// struck sends the bytes before a fault of a definition, and reports whether there is a fault.
func (s *session) struck(path, text string) bool {
	for _, f := range s.server.faults {
		if f.Path != "" && f.Path != path || int64(len(text)) < f.After || f.Once && !f.used.CompareAndSwap(false, true) {
			continue
		}
		s.say(text[:f.After])
		s.out.Flush()
		switch f.Do {
		case Reset:
			s.conn.SetLinger(0) // Close is a reset now.
		case Stall:
			io.Copy(io.Discard, s.conn) // This ends when either side closes.
		}
		return true
	}
	return false
}
