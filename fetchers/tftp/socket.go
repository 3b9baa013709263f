package tftp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A socket receives from every port of the server's machine, since each transfer has its own port
// (RFC 1350, section 4).
type socket interface {
	net.Conn
	ReadPort(p []byte) (n int, port uint16, err error)
	WritePort(p []byte, port uint16) (int, error)
}

// dial returns a socket for the machine of a server.
func (f *Fetcher) dial(ctx context.Context, addr string) (socket, error) {
	conn, err := transport.DialUDP(ctx, f.Network, addr)
	if err != nil {
		return nil, err
	}
	if _, ok := conn.(*net.UDPConn); !ok {
		return onePort{conn}, nil // the Network checks the sources of answers
	}
	defer conn.Close()
	return transport.HearAnyPort(conn)
}

// A onePort is a socket of a custom Network. All its datagrams come from one port.
type onePort struct{ net.Conn }

func (o onePort) ReadPort(p []byte) (n int, port uint16, err error) {
	n, err = o.Read(p)
	return n, 1, err
}

func (o onePort) WritePort(p []byte, _ uint16) (int, error) { return o.Write(p) }

// send sends the last datagram, for the first time or again.
func (t *transfer) send() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left {
		return t.explain(net.ErrClosed)
	}
	if t.told != nil {
		t.told.Sent(t.last)
	}
	for try := 0; ; try++ {
		var err error
		if t.port == 0 {
			_, err = t.socket.Write(t.last)
		} else {
			_, err = t.socket.WritePort(t.last, t.port)
		}
		if refused := errors.Is(err, syscall.ECONNREFUSED); !refused || t.port == 0 || try > 0 {
			if refused && t.port != 0 {
				return nil // receive waits, and repeats it
			}
			return t.explain(err)
		}
	}
}

// receive waits for the next packet of this transfer, and repeats the last datagram when the timer
// expires.
func (t *transfer) receive() (packet, error) {
	for {
		n, port, err := t.read()
		switch {
		case t.ctx.Err() != nil:
			return packet{}, t.ctx.Err()
		case errors.Is(err, os.ErrDeadlineExceeded):
			if err := t.again(); err != nil {
				return packet{}, err
			}
			continue
		case errors.Is(err, syscall.ECONNREFUSED) && t.port != 0:
			continue // it may be about an error that was sent to another port
		case err != nil:
			return packet{}, err
		}
		if t.told != nil {
			t.told.Got(t.buffer[:n])
		}
		p, err := parse(t.buffer[:n])
		switch {
		case t.port == 0 && err != nil:
			t.odd = "not a TFTP server: " + err.Error()
			continue
		case t.port == 0 && p.op == opData && p.number != 1:
			t.odd = fmt.Sprintf("block %d came in place of 1", p.number)
			continue
		case t.port == 0:
			t.mu.Lock()
			t.port = port
			t.mu.Unlock()
		case port != t.port:
			t.socket.WritePort(errorPacket(codeUnknownID, "unknown transfer ID"), port)
			t.trace.Note(fmt.Sprintf("a datagram from port %d is not of this transfer, and got an error", port))
			continue
		case err != nil:
			t.complain(codeIllegal, "what is this?")
			return packet{}, fmt.Errorf("%w: %w", fetchers.ErrProtocol, err)
		}
		return p, nil
	}
}

// read reads a datagram, within the current wait and the minimum rate.
func (t *transfer) read() (n int, port uint16, err error) {
	begun, until := time.Now(), t.until
	pace := fetchers.ContextPace(t.ctx)
	paced := pace.Left() < until.Sub(begun)
	if paced {
		until = begun.Add(pace.Left())
	}
	t.socket.SetReadDeadline(until)
	n, port, err = t.socket.ReadPort(t.buffer)
	took := time.Since(begun)
	t.silent += took
	if paced && t.ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, 0, pace.Expired(took)
	}
	if slow := pace.Waited(took, n); err == nil && slow != nil {
		return 0, 0, slow
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || err == nil {
		return n, port, err
	}
	return n, port, t.explain(err)
}

// again repeats the last datagram, or fails.
func (t *transfer) again() error {
	quiet := t.silent.Round(time.Millisecond)
	if t.over() {
		switch {
		case t.odd != "":
			return fmt.Errorf("%w: %s, and nothing else for %v", fetchers.ErrProtocol, t.odd, quiet)
		case t.port == 0:
			return fetchers.Temporary(fmt.Errorf("%w: no answer for %v%s", fetchers.ErrStalled, quiet, t.strangers()))
		}
		return fetchers.Temporary(fmt.Errorf("%w: nothing new for %v", fetchers.ErrStalled, quiet))
	}
	t.trace.Note(fmt.Sprintf("nothing new for %v: the last datagram is sent again", quiet))
	t.since, t.gap = 0, false
	return t.send()
}

// strangers describes ignored answers from another machine, for an error.
func (t *transfer) strangers() string {
	if s, ok := t.socket.(*transport.AnyPort); ok && s.Stranger().IsValid() {
		return fmt.Sprintf("; packets from %v are another machine's", s.Stranger().Addr())
	}
	return ""
}

// explain returns the cause of a socket error.
func (t *transfer) explain(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil:
		return nil
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	case errors.As(err, &errno):
		return fetchers.Temporary(err) // no server listens now
	}
	return err
}
