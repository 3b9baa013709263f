package s3test

import (
	"crypto/tls"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of an answer. It strikes when After octets of the content of an answer are
// sent; a shorter content is whole.
type Fault struct {
	Path  string // "bucket/key" of an object, or "bucket/prefix" of a listing; "" means any
	After int64  // octets
	Do    Action // the effect
	Once  bool   // strike one answer only
}

// String returns the fault as "bucket/a: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe("", f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut     Action = iota // close the connection
	Reset                 // reset it; octets on their way may be lost
	Stall                 // send nothing more, until the client leaves or the server is closed
	Change                // send all, with another ETag and time of modification
	Silence               // send nothing, with any After
)

var actions = []string{"Cut", "Reset", "Stall", "Change", "Silence"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes answers go wrong. Each gets the first fault for its path which is not used up.
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

// faultFor returns the fault for the next answer, or nil.
func (s *Server) faultFor(path string) *fault {
	for _, f := range s.faults {
		if (f.Path == "" || f.Path == path) && (!f.Once || f.used.CompareAndSwap(false, true)) {
			return f
		}
	}
	return nil
}

// Fail answers the next requests for a path, n of them, with a status and an error code of S3,
// and after that as usual. The path "" means any.
func Fail(path string, n int, status int, code string) Option {
	return func(s *Server) {
		f := &failure{path: path, status: status, code: code}
		f.left.Store(int32(n))
		s.failed = append(s.failed, f)
	}
}

type failure struct {
	path   string
	status int
	code   string
	left   atomic.Int32
}

// failureFor returns the failure for the next answer, or nil.
func (s *Server) failureFor(path string) *failure {
	for _, f := range s.failed {
		if (f.path == "" || f.path == path) && f.left.Add(-1) >= 0 {
			return f
		}
	}
	return nil
}

// A faulty writes an answer until its fault strikes.
type faulty struct {
	http.ResponseWriter
	fault *fault
	left  int64
	done  <-chan struct{}
}

// within returns w with the fault for an answer, if there is one.
func (f *fault) within(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if f == nil || f.Do == Change {
		return w
	}
	return &faulty{w, f, f.After, r.Context().Done()}
}

func (w *faulty) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.left {
		w.left -= int64(len(p))
		return w.ResponseWriter.Write(p)
	}
	w.ResponseWriter.Write(p[:w.left])
	control := http.NewResponseController(w.ResponseWriter)
	control.Flush()
	switch w.fault.Do {
	case Stall:
		<-w.done
	case Reset:
		conn, _, err := control.Hijack()
		if err != nil {
			break
		}
		if secured, ok := conn.(*tls.Conn); ok {
			conn = secured.NetConn()
		}
		if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
			tcp.SetLinger(0)
		}
		conn.Close()
		return 0, io.ErrClosedPipe
	}
	panic(http.ErrAbortHandler)
}
