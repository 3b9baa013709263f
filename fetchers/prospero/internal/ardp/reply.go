package ardp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A Reply is the reply to a request as it arrives. Its Read returns io.EOF only after all packets
// have arrived.
type Reply struct {
	ctx     context.Context
	trace   fetchers.Tracer
	network *fetchers.Network

	id        uint16
	packets   [][]byte // the request
	received  bool     // the server has acknowledged all of them
	heard     bool     // the server has sent a packet
	stranger  error    // the fault of a datagram that was not an answer
	redirects int

	assembly assembly
	timer    retryTimer
	buffer   []byte
	rest     []byte // of the current packet
	err      error  // the end or error

	mu      sync.Mutex // guards these fields against Close and the end of ctx
	conn    net.Conn
	release func() bool // detaches from ctx
	left    bool
}

// Read reads the next bytes. The socket is read only during Read, so that a slow reader slows the
// server down. The time between two Reads does not count for the timers.
func (r *Reply) Read(p []byte) (int, error) {
	r.timer.resume()
	defer r.timer.pause()
	for len(r.rest) == 0 {
		data, ok := r.assembly.next()
		switch {
		case ok:
			r.rest = data
		case r.err != nil:
			return 0, r.err
		case r.assembly.complete():
			r.err = io.EOF
			r.leave(false)
		default:
			if r.err = r.receive(); r.err != nil {
				r.leave(true)
			}
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close cancels the request if it is not complete. It may be called during Read.
func (r *Reply) Close() error {
	r.leave(true)
	return nil
}

// RemoteAddr returns the address of the last request.
func (r *Reply) RemoteAddr() net.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	return net.UDPAddrFromAddrPort(peer(r.conn))
}

// leave closes the socket, after a cancellation if cancel is true.
func (r *Reply) leave(cancel bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left {
		return
	}
	r.left = true
	r.release()
	if cancel {
		r.conn.Write(cancellation(r.id)) // an error has no consequence
	}
	r.conn.Close()
}

// use replaces the socket with conn.
func (r *Reply) use(conn net.Conn, cancel bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left {
		conn.Close()
		return r.explain(net.ErrClosed)
	}
	if cancel {
		r.conn.Write(cancellation(r.id))
	}
	r.conn.Close()
	r.conn = conn
	return nil
}

// ask sends the request, or an acknowledgement if the server has the request. Both contain how far
// the reply has arrived, so that the server continues from there.
func (r *Reply) ask() error {
	if r.received {
		return r.acknowledge()
	}
	for _, p := range r.packets {
		receivedThrough(p, r.assembly.through)
		if _, err := r.conn.Write(p); err != nil {
			return r.explain(err)
		}
	}
	return nil
}

func (r *Reply) acknowledge() error {
	_, err := r.conn.Write(acknowledgement(r.id, r.assembly.through))
	return r.explain(err)
}

// receive waits for one datagram, or until the timer expires.
func (r *Reply) receive() error {
	begun, until := time.Now(), r.timer.until
	pace := fetchers.ContextPace(r.ctx)
	paced := pace.Left() < until.Sub(begun)
	if paced {
		until = begun.Add(pace.Left())
	}
	r.conn.SetReadDeadline(until)
	n, err := r.conn.Read(r.buffer)
	if r.ctx.Err() == nil && paced && errors.Is(err, os.ErrDeadlineExceeded) {
		return pace.Expired(time.Since(begun))
	}
	slow := pace.Waited(time.Since(begun), n)
	switch {
	case err == nil && slow != nil:
		return slow
	case r.ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded):
		return r.again()
	case err != nil:
		return r.explain(err)
	}
	h, data, err := parse(r.buffer[:n])
	switch {
	case err != nil:
	case h.id == 0:
		err = errOld
	case r.sent(r.buffer[:n]):
		err = errEcho
	}
	if err != nil {
		r.stranger = err
		return nil
	}
	if h.id != r.id {
		return nil // of another conversation
	}
	return r.take(h, data)
}

// errOld is the error for a server of version 1 of Prospero, which has no IDs, or for another
// service that answers any request.
var errOld = errors.New("its answer has connection ID 0, as in version 1")

// errEcho is the error for a service that echoes the request.
var errEcho = errors.New("it sends the request back")

// sent reports whether a datagram is a packet of the request, apart from the bytes that contain how
// far the reply has arrived.
func (r *Reply) sent(datagram []byte) bool {
	for _, p := range r.packets {
		if len(datagram) == len(p) && bytes.Equal(datagram[:7], p[:7]) && bytes.Equal(datagram[9:], p[9:]) {
			return true
		}
	}
	return false
}

// take processes a packet.
func (r *Reply) take(h header, data []byte) error {
	if !r.heard {
		r.heard = true
		r.trace.GotFirstResponseByte()
	}
	switch h.option {
	case optionCancel:
		return fmt.Errorf("the server refuses the request: %w", syscall.ECONNREFUSED)
	case optionVersion:
		return other(errVersion)
	case optionReset:
		r.received = false
	case optionRedirect, optionRedirectAll:
		if h.to.IsValid() {
			return r.redirect(h.to)
		}
	}
	if int(h.received) >= len(r.packets) {
		r.received = true
	}
	if h.wait >= 0 && r.timer.ask(h.wait) && h.wait > 0 {
		r.trace.Note(fmt.Sprintf("the server asks to wait for %d seconds%s", h.wait, h.queue))
	}
	if h.number == 0 {
		return nil
	}
	moved, err := r.assembly.add(h, data)
	if err != nil {
		return err
	}
	if moved {
		if r.assembly.limit == 0 {
			r.timer.limit = 0
		}
		r.timer.began = r.timer.began.Add(time.Duration(len(data)) * time.Second / 100)
		r.timer.renew()
	}
	if h.flags&flagAck != 0 {
		r.acknowledge() // if this fails, the server asks again
	}
	return nil
}

func (q queue) String() (s string) {
	if q.position > 0 {
		s = fmt.Sprintf(", place %d in its queue", q.position)
	}
	if q.seconds > 0 {
		s += fmt.Sprintf(", %d seconds expected", q.seconds)
	}
	return s
}

// again repeats the request, or fails.
func (r *Reply) again() error {
	quiet := time.Since(r.timer.since).Round(time.Millisecond)
	twice := r.timer.sends > 1
	over, late := r.timer.over(), r.timer.late()
	if r.stranger != nil && !r.heard && (twice || over) {
		return other(r.stranger) // after a single request, the answer may be late or lost
	}
	if late && r.assembly.highest > 0 {
		return fmt.Errorf("%w: no whole answer within %v", fetchers.ErrStalled, r.timer.limit)
	}
	if over {
		switch asked := r.timer.base; {
		case asked > r.timer.first:
			return fmt.Errorf("%w: nothing for %v, and the server had asked to wait for %v", fetchers.ErrStalled, quiet, asked)
		case r.heard:
			return fmt.Errorf("%w: nothing new for %v", fetchers.ErrStalled, quiet)
		}
		return fmt.Errorf("%w: no answer for %v", fetchers.ErrStalled, quiet)
	}
	if socket, ok := r.conn.(*net.UDPConn); ok && !r.heard {
		r.trace.Note(fmt.Sprintf("no answer for %v: the request is sent again, and an answer from another port will do", quiet))
		wider, err := transport.HearAnyPort(socket)
		if err != nil {
			return err
		}
		if err := r.use(wider, true); err != nil {
			return err
		}
		return r.ask()
	}
	r.trace.Note(fmt.Sprintf("nothing new for %v: the server is asked again", quiet))
	return r.ask()
}

// other returns the error for another kind of server.
func other(why error) error { return nonsense("not a Prospero version 5 server: %v", why) }

// explain returns the cause of a socket error.
func (r *Reply) explain(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil:
		return nil
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.As(err, &errno):
		return fetchers.Temporary(err) // no server listens now
	}
	return err
}
