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

// A transfer is one file on its way, and the source of its Body. Only as it is read are
// blocks acknowledged, so that a slow reader slows the server down.
type transfer struct {
	ctx    context.Context
	trace  fetchers.Tracer
	told   *fetchers.Tap // nil if nobody is told
	wishes []option
	agreement
	patience

	socket socket
	port   uint16 // of the server, for this transfer; 0 until it has answered
	odd    string // what came that was no answer

	last   []byte // what is sent again when nothing comes: the request, or an acknowledgement
	block  uint16 // the last one that has come in its turn
	since  int    // blocks since an acknowledgement
	gap    bool   // a block is missing, and that is said
	got    int64  // octets of the file
	buffer []byte
	rest   []byte // of the block that is being read
	err    error  // how it has ended

	mu      sync.Mutex // guards these against Close and the end of ctx
	release func() bool
	left    bool
}

// open returns a transfer for which nothing is asked yet.
func (f *Fetcher) open(ctx context.Context, addr string, wishes []option) (*transfer, error) {
	socket, err := f.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	t := &transfer{
		ctx: ctx, trace: fetchers.ContextTrace(ctx), wishes: wishes, agreement: original, socket: socket,
		patience: patience{first: f.firstWait(), stall: f.Network.ResponseLimit()},
		buffer:   make([]byte, max(f.blockSize(), original.block, maxRequest)+len("0000")+1), // one more tells a block that is too long
	}
	t.told = t.trace.Tap("udp", addr)
	t.mu.Lock()
	t.release = context.AfterFunc(ctx, func() { t.leave("cancelled") })
	t.mu.Unlock()
	t.renew()
	return t, nil
}

// errDeclined is the refusal of a request because of its options.
var errDeclined = errors.New("no options")

// answer waits for the answer to the request. From then on stall is how long nothing new may
// come.
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
	t.trace.Got(fmt.Sprintf("DATA 1 of %d octets", len(p.data)))
	return t.take(p)
}

// Read reads what comes next.
func (t *transfer) Read(p []byte) (int, error) {
	if len(t.rest) == 0 {
		t.arm() // what passes between one Read and the next is not held against the server
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

// next takes the next packet.
func (t *transfer) next() error {
	p, err := t.receive()
	if err != nil {
		return err
	}
	switch p.op {
	case opError:
		t.trace.Got(p.describe())
		t.hangUp()
		return fmt.Errorf("%w: the server gives up: %w", io.ErrUnexpectedEOF, refusal(p))
	case opOAck: // a copy of the one before
		return nil
	}
	return t.take(p)
}

// take takes a block. One that came before is not answered: an answer to each copy would
// double every later packet (RFC 1123, section 4.2.3.1). If blocks are missing, the server is
// told once, from which on it is to send them again (RFC 7440, section 4).
func (t *transfer) take(p packet) error {
	ahead := p.number - t.block - 1
	if t.block == 65535 && p.number == 1 && t.window == 1 {
		ahead, t.block = 0, 0 // after 65535 some servers have 1, and not 0
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
		return fmt.Errorf("%w: a block of %d octets or more, and %d were agreed on", fetchers.ErrProtocol, len(p.data), t.agreement.block)
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
		return fmt.Errorf("%w: more than the %d octets of tsize", fetchers.ErrProtocol, t.size)
	case final && t.size >= 0 && t.got < t.size:
		t.complain(codeUndefined, "less than tsize")
		return fmt.Errorf("%w: %d octets, and tsize is %d", io.ErrUnexpectedEOF, t.got, t.size)
	case final:
		t.trace.Got(fmt.Sprintf("DATA %d of %d octets, the last", t.block, len(p.data)))
		t.acknowledge() // if it is lost, the server asks for it in vain
		t.end(io.EOF)
	case t.since >= t.window:
		return t.acknowledge()
	default:
		t.last = ackPacket(t.block)
	}
	return nil
}

// acknowledge says how far the file has come, from where the server goes on.
func (t *transfer) acknowledge() error {
	t.last, t.since = ackPacket(t.block), 0
	return t.send()
}

// complain sends an error, after which the server sends no more.
func (t *transfer) complain(code byte, text string) {
	t.last = errorPacket(code, text)
	t.trace.Sent(fmt.Sprintf("ERROR %d %s", code, text))
	t.send() // there is nothing to be done if it fails
	t.hangUp()
}

// hangUp closes the socket without a word.
func (t *transfer) hangUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.close()
}

// end ends the transfer. If that is not the end of the file, the server is told.
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

// Close gives up the rest of the file, and tells the server. It may be called while Read
// waits.
func (t *transfer) Close() error {
	t.leave("no more of it is wanted")
	return nil
}

// leave closes the socket, with a word to the server if it is sending.
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

// maxSends is how often a datagram is sent while nothing comes. With the waits doubled, up
// to maxWaits times the first, that is a minute.
const (
	maxSends = 10
	maxWaits = 8
)

// A patience says when to send again, and when to give up.
type patience struct {
	first time.Duration // wait
	stall time.Duration // how long nothing new may come; 0 is as long as the waits are

	wait   time.Duration // the present one
	until  time.Time     // its end
	silent time.Duration // time spent waiting since something new came
	sends  int           // since then
}

// renew begins anew, since there was something new.
func (p *patience) renew() {
	p.wait, p.silent, p.sends = p.first, 0, 1
	p.arm()
}

// arm begins the present wait.
func (p *patience) arm() {
	wait := p.wait
	if p.stall > 0 {
		wait = min(wait, max(p.stall-p.silent, 0))
	}
	p.until = time.Now().Add(wait)
}

// over reports whether the wait that has passed was the last one, and otherwise begins the
// next.
func (p *patience) over() bool {
	if p.sends >= maxSends || p.stall > 0 && p.silent >= p.stall {
		return true
	}
	p.sends++
	p.wait = min(2*p.wait, maxWaits*p.first)
	p.arm()
	return false
}
