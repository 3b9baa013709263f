package ftptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of a command. The fault of a transfer strikes after After octets. A
// transfer of exactly After octets is whole when the fault strikes, and a shorter one does not meet
// it. The fault of any other command strikes in place of its reply.
type Fault struct {
	Command string // such as RETR, STOR, LIST, SIZE, CWD or EPSV; RETR if empty
	Path    string // file or directory, as a name of the fs.FS; "" means any
	After   int64  // octets of this transfer, not counting those that REST skipped
	Do      Action // the effect
	Once    bool   // strike one command only
}

// String returns the fault as "RETR pub/a: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe(f.Command, f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault]. In an upload the server stops to read where it stops
// to send in a download.
type Action int

// Actions on transfers.
const (
	Lie226   Action = iota // close the data connection and say 226, as if that were all
	Say426                 // close the data connection and say 426
	Say451                 // close the data connection and say 451
	SayNone                // close the data connection and say nothing
	Cut                    // close the data connection, and the control connection without a word
	CutReset               // as Cut, but the control connection is reset
	Reset                  // reset the data connection, yet say 226; octets on their way may be lost
	NoNotify               // as Lie226, and without the close_notify that ends TLS
	Stall                  // send nothing more, until the client leaves or the server is closed
	Say425                 // say 425 before there is a data connection; After is not looked at
	Early226               // say 226 together with 150, close the data connection, and say 426
	Say552                 // close the data connection and say 552, as a full disk makes a server do
	Flip                   // turn over a bit of the next octet, and go on
	Extra                  // go on, and end with an octet that is not in the file
	Hold                   // go on and say 226, but do not close the data connection
)

// Actions on EPSV. SayNone, Cut, CutReset, Stall, Say425, Say426, Say451 and Say552 fit commands
// without a transfer as well: the server sends only that reply, or none.
const (
	NoPort Action = iota + 100 // announce a port that is closed
)

var actions = []string{"Lie226", "Say426", "Say451", "SayNone", "Cut", "CutReset", "Reset", "NoNotify", "Stall",
	"Say425", "Early226", "Say552", "Flip", "Extra", "Hold", NoPort: "NoPort"}

// String returns the name of the action, such as "Lie226".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes commands go wrong. Each gets the first fault for it which is not used up,
// so faults with Once strike one transfer after the other. Faults panics if the action
// does not fit the command.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			if f.Command == "" {
				f.Command = "RETR"
			}
			f.Command = upperVerb(f.Command)
			if !f.fits() {
				panic(fmt.Sprintf("ftptest: %v: the action does not fit the command", f))
			}
			if f.Path != "" {
				f.Path = rooted(f.Path)
			}
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

// transfers are the commands with a data connection, and uploads those of them that take
// data from the client.
var (
	transfers = map[string]bool{
		"RETR": true, "LIST": true, "NLST": true, "MLSD": true,
		"STOR": true, "APPE": true, "STOU": true,
	}
	uploads = map[string]bool{"STOR": true, "APPE": true, "STOU": true}
)

func (f Fault) fits() bool {
	switch f.Do {
	case NoPort:
		return f.Command == "EPSV"
	case SayNone, Cut, CutReset, Stall, Say425, Say426, Say451, Say552:
		return true
	case Hold:
		return transfers[f.Command] && !uploads[f.Command]
	}
	return transfers[f.Command]
}

// rooted returns a name of the file system, whether it was written with a slash before it
// or without.
func rooted(name string) string {
	if name = strings.TrimPrefix(path.Clean("/"+name), "/"); name != "" {
		return name
	}
	return "."
}

// Rate limits every transfer to this many octets per second.
func Rate(octetsPerSecond int) Option {
	return func(s *Server) { s.rate = octetsPerSecond }
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

// faultFor returns the fault for a command about a path, or nil.
func (s *Server) faultFor(command, path string) *fault {
	for _, f := range s.faults {
		if f.Command == command && (f.Path == "" || f.Path == path) && !f.used.Load() {
			return f
		}
	}
	return nil
}

var (
	errCut  = errors.New("cut by a fault")     // becomes 426
	errDrop = errors.New("dropped by a fault") // becomes the end of the connection
	errFull = errors.New("filled by a fault")  // becomes 552

	errNoNotify  = errors.New("closed by a fault") // becomes 226
	errHold      = errors.New("held by a fault")   // becomes 226
	errFailed    = errors.New("failed by a fault") // becomes 451
	errSilent    = errors.New("silent by a fault") // becomes no reply
	errDropReset = errors.New("reset by a fault")  // becomes the reset of the connection
)

// carry copies r to w, of which one is the data connection, as far as the fault allows,
// which may be nil. It returns nil if 226 is to be said.
func carry(ctx context.Context, w io.Writer, r io.Reader, conn *dataConn, f *fault) error {
	if f == nil {
		_, err := io.Copy(w, r)
		return err
	}
	_, err := io.CopyN(w, r, f.After)
	if err == io.EOF {
		return nil // Shorter than After.
	}
	if err != nil {
		return err
	}
	if !f.strikes() {
		_, err := io.Copy(w, r)
		return err
	}
	switch f.Do {
	case Flip:
		return goOn(w, &flipped{r: r}, "")
	case Extra:
		return goOn(w, r, "x")
	case Hold:
		if err := goOn(w, r, ""); err != nil {
			return err
		}
		return errHold
	}
	return strike(ctx, f.Do, conn)
}

// goOn copies r to w, and octets after it.
func goOn(w io.Writer, r io.Reader, octets string) error {
	_, err := io.Copy(w, io.MultiReader(r, strings.NewReader(octets)))
	return err
}

// A flipped reader has a wrong bit in its first octet.
type flipped struct {
	r    io.Reader
	done bool
}

func (f *flipped) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if n > 0 && !f.done {
		p[0] ^= 1
		f.done = true
	}
	return n, err
}

func strike(ctx context.Context, do Action, conn *dataConn) error {
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
	case Say552:
		return errFull
	case SayNone:
		return errSilent
	case Cut:
		return errDrop
	case CutReset:
		return errDropReset
	case Stall:
		if conn.upload {
			<-ctx.Done()
		} else {
			io.Copy(io.Discard, conn) // Nothing comes; this ends when either side closes.
		}
		return errCut
	default:
		return errCut
	}
}

// strike applies a fault to a command without a transfer.
func (s *session) strike(do Action) {
	switch do {
	case NoPort:
		s.closedPort()
	case SayNone:
	case Stall:
		<-s.ctx.Done()
	case Say425:
		s.reply(425, "Can't open data connection.")
	case Say426:
		s.ended(s.ctx, errCut)
	case Say451:
		s.ended(s.ctx, errFailed)
	case Say552:
		s.ended(s.ctx, errFull)
	case Cut:
		s.ended(s.ctx, errDrop)
	case CutReset:
		s.ended(s.ctx, errDropReset)
	}
}
