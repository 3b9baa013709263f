package nntptest

import (
	"bufio"
	"errors"
	"io"
	"sync/atomic"
)

// A Fault is a way in which a data block goes wrong. It strikes when After octets
// of it are sent, so that a shorter one is spared.
type Fault struct {
	Command string // ARTICLE, HEAD, OVER, LIST, …; ARTICLE if empty
	After   int64  // octets of the block
	Do      Action // what happens then
	Once    bool   // strike one block only
}

// An Action is what a [Fault] does.
type Action int

const (
	Drop  Action = iota // close the connection, without the dot
	Reset               // reset it; octets on their way may be lost
	Stall               // send nothing more, until the client leaves or the server is closed
)

// Faults makes data blocks go wrong. Each block gets the first fault for its
// command that is not used up.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			if f.Command == "" {
				f.Command = "ARTICLE"
			}
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

type fault struct {
	Fault
	used atomic.Bool
}

var errStruck = errors.New("cut by a fault")

// faulty returns what writes a block of a command to the client.
func (s *session) faulty(command string) *bufio.Writer {
	for _, f := range s.server.faults {
		if f.Command == command && !f.used.Load() {
			return bufio.NewWriter(&faultyWriter{s: s, fault: f, left: f.After})
		}
	}
	return bufio.NewWriter(s.out)
}

// A faultyWriter lets the fault strike once so many octets have been written.
type faultyWriter struct {
	s     *session
	fault *fault
	left  int64
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.left {
		w.left -= int64(len(p))
		return w.s.out.Write(p)
	}
	if w.fault.Once && !w.fault.used.CompareAndSwap(false, true) {
		w.left = 1 << 62
		return w.s.out.Write(p)
	}
	n, _ := w.s.out.Write(p[:w.left])
	w.s.flush()
	switch w.fault.Do {
	case Reset:
		w.s.tcp.SetLinger(0) // Close is a reset now.
	case Stall:
		io.Copy(io.Discard, w.s.tcp) // This ends when either side closes.
	}
	w.s.tcp.Close()
	w.s.quitting = true
	return n, errStruck
}
