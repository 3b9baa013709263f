package ftptest

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is a way in which a transfer goes wrong. It strikes a transfer when
// After octets of it are sent, so that a transfer of exactly After octets is
// whole when it strikes, and a shorter one is spared.
type Fault struct {
	Command string // RETR, LIST, NLST or MLSD; RETR if empty
	After   int64  // octets of this transfer, not counting what REST skipped
	Do      Action // what happens then
	Once    bool   // strike one transfer only
}

// An Action is what a [Fault] does.
type Action int

const (
	Lie226    Action = iota // close the data connection and say 226, as if that were all
	Say426                  // close the data connection and say 426
	Say451                  // close the data connection and say 451
	SayNone                 // close the data connection and say nothing
	Drop                    // close the data connection, and the control connection without a word
	DropReset               // as Drop, but the control connection is reset
	Reset                   // reset the data connection, yet say 226; octets on their way may be lost
	NoNotify                // as Lie226, and without the close_notify that ends TLS
	Stall                   // send nothing more, until the client leaves or the server is closed
	Say425                  // say 425 before there is a data connection; After is not looked at
	Early226                // say 226 together with 150, close the data connection, and say 426
)

// Faults makes transfers go wrong. Each transfer gets the first fault for its
// command which is not used up, so faults with Once strike one transfer after
// the other.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			if f.Command == "" {
				f.Command = "RETR"
			}
			f.Command = upperVerb(f.Command)
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

// Rate limits every transfer to this many octets per second.
func Rate(octetsPerSecond int) Option {
	return func(s *Server) { s.rate = octetsPerSecond }
}

type fault struct {
	Fault
	used atomic.Bool
}

// strikes reports whether the fault may strike now. Only one transfer hears
// yes from a fault with Once.
func (f *fault) strikes() bool {
	return !f.Once || f.used.CompareAndSwap(false, true)
}

// faultFor returns the fault for the next transfer, or nil.
func (s *Server) faultFor(command string) *fault {
	for _, f := range s.faults {
		if f.Command == command && !f.used.Load() {
			return f
		}
	}
	return nil
}

var (
	errCut  = errors.New("cut by a fault")     // becomes 426
	errDrop = errors.New("dropped by a fault") // becomes the end of the connection

	errNoNotify  = errors.New("closed by a fault") // becomes 226
	errFailed    = errors.New("failed by a fault") // becomes 451
	errSilent    = errors.New("silent by a fault") // becomes no reply
	errDropReset = errors.New("reset by a fault")  // becomes the reset of the connection
)

// send copies r to the data connection, as far as fault and rate allow. It
// returns nil if 226 is to be said.
func (s *Server) send(ctx context.Context, conn *dataConn, command string, r io.Reader) error {
	w := server.Pace(ctx, conn, s.rate)
	if f := s.faultFor(command); f != nil && f.Do != Say425 {
		_, err := io.CopyN(w, r, f.After)
		if err == io.EOF {
			return nil // Shorter than After.
		}
		if err != nil {
			return err
		}
		if f.strikes() {
			return strike(f.Do, conn)
		}
	}
	_, err := io.Copy(w, r)
	return err
}

func strike(do Action, conn *dataConn) error {
	switch do {
	case Lie226:
		return nil
	case Reset:
		conn.tcp.SetLinger(0) // Close is a reset now.
		conn.tcp.Close()
		return nil
	case NoNotify:
		return errNoNotify
	case Say451:
		return errFailed
	case SayNone:
		return errSilent
	case Drop:
		return errDrop
	case DropReset:
		return errDropReset
	case Stall:
		io.Copy(io.Discard, conn) // Nothing comes; this ends when either side closes.
		return errCut
	default:
		return errCut
	}
}
