package tftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A transfer is the transfer of one file, and the source of its Body. Blocks are acknowledged only
// as they are read, so that a slow reader slows the server down.
type transfer struct {
	ctx    context.Context
	trace  fetchers.Tracer
	told   *fetchers.Tap // nil without a Trace
	wishes []option
	agreement
	retryTimer

	socket socket
	port   uint16 // of the server, for this transfer; 0 until it has answered
	odd    string // describes a datagram that was not an answer

	last   []byte // the datagram to repeat: the request, or an acknowledgement
	block  uint16 // the last block received in order
	since  int    // blocks since the last acknowledgement
	gap    bool   // a block is missing, and the server was told
	got    int64  // bytes of the file so far
	buffer []byte
	rest   []byte // of the current block
	err    error  // the end or error

	mu      sync.Mutex // guards these fields against Close and the end of ctx
	release func() bool
	left    bool
}

// open returns a transfer before its request.
func (f *Fetcher) open(ctx context.Context, addr string, wishes []option) (*transfer, error) {
	socket, err := f.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	t := &transfer{
		ctx: ctx, trace: fetchers.ContextTrace(ctx), wishes: wishes, agreement: original, socket: socket,
		retryTimer: retryTimer{first: f.firstWait(), stall: f.Network.ResponseLimit()},
		buffer:     make([]byte, max(f.blockSize(), original.block, maxRequest)+len("0000")+1), // one more, to detect a block that is too long
	}
	t.told = t.trace.Tap("udp", addr)
	t.mu.Lock()
	t.release = context.AfterFunc(ctx, func() { t.leave("cancelled") })
	t.mu.Unlock()
	t.renew()
	return t, nil
}

// errDeclined is the error for a request that was refused because of its options.
var errDeclined = errors.New("no options")

// answer waits for the answer to the request. From then on, stall is the maximum time without
// progress.
func (t *transfer) answer(stall time.Duration, describe bool) error {
	p, err := t.receive()
	if err != nil {
		return err
	}
	t.trace.GotFirstResponseByte()
	t.stall = stall
	switch p.op {
	case opError:
		t.trace.Got(p.describe())
		t.hangUp()
		if p.number == codeOptions && len(t.wishes) > 0 {
			return errDeclined
		}
		return refusal(p)
	case opOAck:
		t.trace.Got(p.describe())
		if t.agreement, err = agree(t.wishes, p.options); err != nil {
			t.complain(codeOptions, "these options were not asked for")
			return err
		}
		if describe {
			return nil
		}
		return t.acknowledge()
	}
	t.trace.Got(fmt.Sprintf("DATA 1 of %d bytes", len(p.data)))
	return t.take(p)
}

// Read reads the next bytes.
func (t *transfer) Read(p []byte) (int, error) {
	if len(t.rest) == 0 {
		t.arm() // the time between two Reads does not count
	}
	for len(t.rest) == 0 && t.err == nil {
		if err := t.next(); err != nil {
			t.end(err)
		}
	}
	if len(t.rest) == 0 {
		return 0, t.err
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// next processes the next packet.
func (t *transfer) next() error {
	p, err := t.receive()
	if err != nil {
		return err
	}
	switch p.op {
	case opError:
		t.trace.Got(p.describe())
		t.hangUp()
		return fmt.Errorf("%w: the server ended the transfer: %w", io.ErrUnexpectedEOF, refusal(p))
	case opOAck: // a copy of the first answer
		return nil
	}
	return t.take(p)
}

// take processes a block. A repeated block gets no answer: an answer to each copy would double
// every later packet (RFC 1123, section 4.2.3.1). If blocks are missing, it acknowledges the last
// block before the gap once, so that the server repeats the missing ones (RFC 7440, section 4).
func (t *transfer) take(p packet) error {
	ahead := p.number - t.block - 1
	if t.block == 65535 && p.number == 1 && t.window == 1 {
		ahead, t.block = 0, 0 // some servers continue with 1 instead of 0
	}
	switch {
	case ahead == 0:
	case int(ahead) < t.window && !t.gap:
		t.gap = true
		return t.acknowledge()
	case ahead < 1<<15 && int(ahead) >= t.window:
		t.odd = fmt.Sprintf("block %d came in place of %d", p.number, t.block+1)
		return nil
	default:
		return nil
	}
	if len(p.data) > t.agreement.block {
		t.complain(codeIllegal, "the block is too long")
		return fmt.Errorf("%w: a block of %d bytes or more, and %d were agreed on", fetchers.ErrProtocol, len(p.data), t.agreement.block)
	}
	t.renew()
	t.gap = false
	t.block++
	t.since++
	t.got += int64(len(p.data))
	t.rest = p.data
	final := len(p.data) < t.agreement.block
	switch {
	case t.size >= 0 && t.got > t.size:
		t.complain(codeUndefined, "more than tsize")
		return fmt.Errorf("%w: more than the %d bytes of tsize", fetchers.ErrProtocol, t.size)
	case final && t.size >= 0 && t.got < t.size:
		t.complain(codeUndefined, "less than tsize")
		return fmt.Errorf("%w: %d bytes, and tsize is %d", io.ErrUnexpectedEOF, t.got, t.size)
	case final:
		t.trace.Got(fmt.Sprintf("DATA %d of %d bytes, the last", t.block, len(p.data)))
		t.acknowledge() // if it is lost, the server's repetitions get no answer
		t.end(io.EOF)
	case t.since >= t.window:
		return t.acknowledge()
	default:
		t.last = ackPacket(t.block)
	}
	return nil
}

// acknowledge acknowledges the last block in order.
func (t *transfer) acknowledge() error {
	t.last, t.since = ackPacket(t.block), 0
	return t.send()
}

// complain sends an error, which ends the transfer.
func (t *transfer) complain(code byte, text string) {
	t.last = errorPacket(code, text)
	t.trace.Sent(fmt.Sprintf("ERROR %d %s", code, text))
	t.send() // an error has no consequence
	t.hangUp()
}

// hangUp closes the socket without a message.
func (t *transfer) hangUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.close()
}

// end ends the transfer. If the file is not complete, the server gets an error.
func (t *transfer) end(err error) {
	if t.err == nil {
		t.err = err
	}
	if t.told != nil {
		t.told.Ended(err)
		t.told = nil
	}
	if err == io.EOF {
		t.hangUp()
	}
	t.leave("no more of it is wanted")
}

// Close ends the transfer, with an error to the server. It may be called during Read.
func (t *transfer) Close() error {
	t.leave("no more of it is wanted")
	return nil
}

// leave closes the socket, after an error to a server that is still sending.
func (t *transfer) leave(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.left && t.port != 0 {
		t.socket.WritePort(errorPacket(codeUndefined, why), t.port)
	}
	t.close()
}

// close closes the socket once. The caller holds mu.
func (t *transfer) close() {
	if t.left {
		return
	}
	t.left = true
	t.release()
	t.socket.Close()
}

// remote returns the address of the server, with the port of the transfer.
func (t *transfer) remote() net.Addr {
	addr, ok := t.socket.RemoteAddr().(*net.UDPAddr)
	if !ok || t.port == 0 {
		return t.socket.RemoteAddr()
	}
	return &net.UDPAddr{IP: addr.IP, Zone: addr.Zone, Port: int(t.port)}
}

// maxSends is how often a datagram is sent without progress. With waits that double up to maxWaits
// times the first, that is about a minute.
const (
	maxSends = 10
	maxWaits = 8
)

// A retryTimer decides when to repeat a datagram, and when to fail.
type retryTimer struct {
	first time.Duration // initial wait
	stall time.Duration // maximum time without progress; 0 means no limit besides the waits

	wait   time.Duration // the current one
	until  time.Time     // end of the current wait
	silent time.Duration // waiting time since the last progress
	sends  int           // since the last progress
}

// renew restarts the timer after progress.
func (p *retryTimer) renew() {
	p.wait, p.silent, p.sends = p.first, 0, 1
	p.arm()
}

// arm starts the current wait.
func (p *retryTimer) arm() {
	wait := p.wait
	if p.stall > 0 {
		wait = min(wait, max(p.stall-p.silent, 0))
	}
	p.until = time.Now().Add(wait)
}

// over reports whether the expired wait was the last one. Otherwise it starts the next wait.
func (p *retryTimer) over() bool {
	if p.sends >= maxSends || p.stall > 0 && p.silent >= p.stall {
		return true
	}
	p.sends++
	p.wait = min(2*p.wait, maxWaits*p.first)
	p.arm()
	return false
}
