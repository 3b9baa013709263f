package nntptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of a command. The fault of a data block strikes when After octets of it
// are sent; a shorter block is whole. The fault of a command without a block, such as GROUP,
// strikes in place of its reply.
type Fault struct {
	Command string // ARTICLE, HEAD, OVER, LIST, GROUP, …; ARTICLE if empty
	Path    string // group or article, as a name of the fs.FS ("test.misc/1"); "" means any
	After   int64  // octets of the block
	Do      Action // the effect
	Once    bool   // strike one command only
}

// String returns the fault as "ARTICLE test.misc/1: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe(f.Command, f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut    Action = iota // close the connection, without the dot
	Reset                // reset it; octets on their way may be lost
	Stall                // send nothing more, until the client leaves or the server is closed
	Say400               // say 400 in place of the reply, and close the connection; After is not looked at
	Say403               // say 403 in place of the reply; After is not looked at
	Flip                 // turn over a bit of the next octet of the block, and go on
)

var actions = []string{"Cut", "Reset", "Stall", "Say400", "Say403", "Flip"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// blocks are the commands that are answered by a data block.
var blocks = map[string]bool{
	"CAPABILITIES": true, "HELP": true, "LISTGROUP": true, "LIST": true, "NEWGROUPS": true,
	"ARTICLE": true, "HEAD": true, "BODY": true, "OVER": true, "XOVER": true, "HDR": true, "XHDR": true,
}

// Faults makes commands go wrong. Each gets the first fault for it that is not used up.
// Faults panics if the action does not fit the command.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			if f.Command == "" {
				f.Command = "ARTICLE"
			}
			f.Command = server.UpperVerb(f.Command)
			if f.Do == Flip && !blocks[f.Command] {
				panic(fmt.Sprintf("nntptest: %v: the action does not fit the command", f))
			}
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

type fault struct {
	Fault
	used atomic.Bool
}

// strikes reports whether the fault may strike now. It returns true to one command only for a fault
// with Once.
func (f *fault) strikes() bool {
	return !f.Once || f.used.CompareAndSwap(false, true)
}

// faultFor returns the fault for a command about the path of the request, or nil.
func (s *session) faultFor(command string) *fault {
	for _, f := range s.server.faults {
		if f.Command == command && (f.Path == "" || f.Path == s.request.Path) && !f.used.Load() {
			return f
		}
	}
	return nil
}

var errStruck = errors.New("cut by a fault")

// struck reports whether a fault strikes in place of the reply, and lets it do so.
func (s *session) struck(command string) bool {
	f := s.faultFor(command)
	if f == nil || blocks[command] && f.Do != Say400 && f.Do != Say403 || !f.strikes() {
		return false
	}
	switch f.Do {
	case Say400:
		s.reply("400 Service discontinued.")
		s.quitting = true
	case Say403:
		s.reply("403 Internal fault.")
	default:
		s.end(f.Do)
	}
	return true
}

// end ends the connection after the sent bytes.
func (s *session) end(do Action) {
	s.flush()
	switch do {
	case Reset:
		s.tcp.SetLinger(0) // Close is a reset now.
	case Stall:
		io.Copy(io.Discard, s.tcp) // This ends when either side closes.
	}
	s.tcp.Close()
	s.quitting = true
}

// faulty returns a writer of a data block to the client.
func (s *session) faulty(command string) *bufio.Writer {
	w := server.Pace(s.ctx, &flusher{s}, s.server.rate)
	if f := s.faultFor(command); f != nil {
		w = &faultyWriter{s: s, w: w, fault: f, left: f.After}
	}
	return bufio.NewWriter(w)
}

// A flusher writes to the client, and at once if there is a rate.
type flusher struct{ s *session }

func (f *flusher) Write(p []byte) (int, error) {
	n, err := f.s.out.Write(p)
	if f.s.server.rate > 0 {
		f.s.flush()
	}
	return n, err
}

// A faultyWriter applies the fault after a number of octets.
type faultyWriter struct {
	s     *session
	w     io.Writer
	fault *fault
	left  int64
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.left {
		w.left -= int64(len(p))
		return w.w.Write(p)
	}
	before := w.left
	w.left = 1 << 62
	if !w.fault.strikes() {
		return w.w.Write(p)
	}
	if w.fault.Do == Flip {
		p = slices.Clone(p)
		p[before] ^= 1
		return w.w.Write(p)
	}
	n, _ := w.w.Write(p[:before])
	w.s.end(w.fault.Do)
	return n, errStruck
}
