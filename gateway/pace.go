package gateway

import (
	"net"
	"net/http"
	"os"
	"time"
)

// leastPace is how many bytes a second a client has to take, on the average: a client that takes a
// byte from time to time would hold its fetch for days.
const leastPace = 1 << 10

// A pacer writes to a client that has to keep a pace. The client has the time of Stall to begin with,
// and earns a second by each leastPace bytes that it takes, up to Stall again. Only the time of
// writing counts.
type pacer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	left    time.Duration // for the next bytes
	direct  *net.TCPConn  // to which the system can move bytes; nil if it cannot
	moved   func(n int64) // counts them
}

// paced returns the ResponseWriter with the pace of its client.
func (x *exchange) paced() *pacer {
	stall := x.Stall
	if stall == 0 {
		stall = defaultStall
	}
	return &pacer{w: x.w, control: http.NewResponseController(x.w), stall: stall, left: stall, moved: x.moved}
}

// Write writes within the time that is left. A ResponseWriter that knows no deadline has a limit of
// its own, or none.
func (p *pacer) Write(b []byte) (int, error) {
	began := time.Now()
	p.control.SetWriteDeadline(began.Add(p.left))
	n, err := p.w.Write(b)
	p.took(time.Since(began), int64(n))
	return n, err
}

// Take has the system move up to n bytes to the client. It does not wait long for a slow one, which gets the
// rest by Write.
func (p *pacer) Take(from *os.File, n int64) int64 {
	if p.direct == nil {
		return 0
	}
	began := time.Now()
	p.direct.SetWriteDeadline(began.Add(min(p.left, mayHold)))
	moved := move(p.direct, from, n)
	p.took(time.Since(began), moved)
	p.moved(moved)
	if moved < n {
		p.direct = nil
	}
	return moved
}

// took counts n bytes that the client has taken in d.
func (p *pacer) took(d time.Duration, n int64) {
	p.left = min(p.stall, p.left-d+time.Duration(n)*time.Second/leastPace)
}

// Header and WriteHeader are those of the ResponseWriter.
func (p *pacer) Header() http.Header { return p.w.Header() }

// WriteHeader writes the status.
func (p *pacer) WriteHeader(status int) { p.w.WriteHeader(status) }
