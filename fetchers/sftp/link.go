package sftp

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// chunk is the number of bytes that one READ requests: the size that every server has to
	// support (draft-ietf-secsh-filexfer-02, section 3).
	chunk = 32 << 10

	// maxPacket is the maximum size of a packet other than DATA. OpenSSH has the same limit.
	maxPacket = 256 << 10

	// headLength is the minimum size of each packet but VERSION: its length, its type, the number
	// of the request, and a number or the length of a text.
	headLength = 13
)

// A link is a connection to an SFTP server, whose requests may belong to several sessions. One
// goroutine writes the requests, and another one reads the answers, so that a session or a server
// that does not read blocks no other session.
type link struct {
	conn io.ReadWriteCloser // carries the packets
	peer peer
	life *atomic.Int64 // time of the last byte, in nanoseconds of Unix time
	most int           // maximum size of a packet other than DATA

	version []byte // the packet VERSION

	requests chan struct{} // wakes the writer when out is not empty
	over     chan struct{} // closed when err is set

	mu       sync.Mutex
	id       uint32
	out      []byte // packets to be written
	calls    map[uint32]*call
	last     time.Time // time of the last answer that a session waited for
	sessions int
	alone    bool // no other session may join
	err      error
}

// A call is a request that has not been answered.
type call struct {
	kind   byte
	owner  *session // nil if no session waits for the answer
	want   int      // bytes requested by a READ
	answer chan answer
}

// An answer is a packet without its head.
type answer struct {
	kind byte
	id   uint32
	body []byte  // after the number of the request; for DATA the data alone
	data *buffer // the memory of body, for DATA; else nil
}

// A buffer holds the bytes of one DATA packet.
type buffer [chunk]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// recycle releases b for reuse. b may be nil.
func (b *buffer) recycle() {
	if b != nil {
		buffers.Put(b)
	}
}

func newLink(conn io.ReadWriteCloser, p peer, life *atomic.Int64, most int) *link {
	return &link{
		conn: conn, peer: p, life: life, most: most,
		requests: make(chan struct{}, 1), over: make(chan struct{}), calls: make(map[uint32]*call),
	}
}

// run reads and writes until the link fails.
func (l *link) run() {
	go l.write()
	go l.read()
}

// begin sends INIT and reads VERSION.
func (l *link) begin() error {
	if _, err := l.conn.Write(hello()); err != nil {
		return err
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(l.conn, head); err != nil {
		return ended(err)
	}
	length, kind, told := binary.BigEndian.Uint32(head[:]), head[4], binary.BigEndian.Uint32(head[5:])
	switch {
	case kind != fxVersion || length < 5 || int64(length) > int64(l.most):
		// The usual reason is a login script with output.
		return fmt.Errorf("%w: %.9q in place of VERSION", fetchers.ErrProtocol, head)
	case told < version:
		return fmt.Errorf("%w: version %d of SFTP, and only %d is spoken here", fetchers.ErrProtocol, told, version)
	}
	l.version = append(head, make([]byte, length-5)...) // extensions
	_, err := io.ReadFull(l.conn, l.version[len(head):])
	return ended(err)
}

// hello returns the packet INIT.
func hello() packet { return packet{0, 0, 0, 0, fxInit}.number(version).sealed() }

// ended returns err, or an unexpected EOF if the connection has ended.
func ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fetchers.Temporary(fmt.Errorf("the connection ended: %w", io.ErrUnexpectedEOF))
	}
	return err
}

// send queues a request, and returns its call. It writes the number of the request into p, where
// newPacket has left room.
func (l *link) send(owner *session, p packet, want int) (*call, packet) {
	c := &call{kind: p[4], owner: owner, want: want, answer: make(chan answer, 1)}
	p = p.sealed()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return c, p
	}
	l.id++
	binary.BigEndian.PutUint32(p[5:], l.id)
	l.calls[l.id] = c
	l.out = append(l.out, p...)
	select {
	case l.requests <- struct{}{}:
	default:
	}
	return c, p
}

// write writes the queued packets together.
func (l *link) write() {
	var spare []byte
	for {
		select {
		case <-l.requests:
		case <-l.over:
			return
		}
		l.mu.Lock()
		out := l.out
		l.out = spare[:0]
		l.mu.Unlock()
		if _, err := l.conn.Write(out); err != nil {
			l.endOfAnswers()
			l.fail(ended(err))
			return
		}
		spare = out
	}
}

// endOfAnswers waits up to a second until the reader has failed. The reader delivers the answers that the server sent
// before the connection ended, and its error tells an end from a reset. The error of the writer does not.
func (l *link) endOfAnswers() {
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	select {
	case <-l.over:
	case <-limit.C:
	}
}

// read passes each answer to its call.
func (l *link) read() {
	var head [headLength]byte
	for {
		if _, err := io.ReadFull(l.conn, head[:]); err != nil {
			l.fail(ended(err))
			return
		}
		if err := l.receive(head[:]); err != nil {
			l.fail(ended(err))
			return
		}
	}
}

// receive reads the rest of a packet that begins with head.
func (l *link) receive(head []byte) error {
	length, kind, id := binary.BigEndian.Uint32(head), head[4], binary.BigEndian.Uint32(head[5:])
	l.mu.Lock()
	c := l.calls[id]
	delete(l.calls, id)
	l.mu.Unlock()
	if c == nil {
		return fmt.Errorf("%w: an answer to request %d, which was not made", fetchers.ErrProtocol, id)
	}
	rest := int64(length) - headLength + 4
	if rest < 0 {
		return fmt.Errorf("%w: a packet of %d bytes", fetchers.ErrProtocol, length)
	}
	body := head[9:headLength:headLength]
	if kind == fxData {
		got := int64(binary.BigEndian.Uint32(body))
		if c.kind != fxRead || got != rest || got > int64(c.want) || got == 0 {
			return fmt.Errorf("%w: %d bytes in a packet of %d in answer to a READ of %d", fetchers.ErrProtocol, got, length, c.want)
		}
		data := buffers.Get().(*buffer)
		if _, err := io.ReadFull(l.conn, data[:rest]); err != nil {
			return err
		}
		l.deliver(c, answer{kind: kind, id: id, body: data[:rest], data: data})
		return nil
	}
	if int64(length) > int64(l.most) {
		return fmt.Errorf("%w: a packet of %d bytes, and the most is %d", fetchers.ErrProtocol, length, l.most)
	}
	kept := len(body)
	whole := make([]byte, kept+int(rest))
	copy(whole, body)
	if _, err := io.ReadFull(l.conn, whole[kept:]); err != nil {
		return err
	}
	l.deliver(c, answer{kind: kind, id: id, body: whole})
	return nil
}

// deliver passes an answer to a call. It closes a file that no session waits for.
func (l *link) deliver(c *call, a answer) {
	l.mu.Lock()
	abandoned := c.owner == nil
	if !abandoned {
		l.last = time.Now()
		c.answer <- a
	}
	l.mu.Unlock()
	if abandoned {
		a.data.recycle()
	}
	if abandoned && a.kind == fxHandle {
		in := cursor{rest: a.body}
		l.send(nil, newPacket(fxClose, 0).text(in.text()), 0)
	}
}

// answered reports whether a session has received an answer since began.
func (l *link) answered(began time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last.After(began)
}

// abandon drops the answers to the calls of a session.
func (l *link) abandon(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		if c.owner == s {
			c.owner = nil
		}
	}
}

// fail ends the link with all its calls. The first err is the reason.
func (l *link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = err
	if l.peer.cause != nil {
		l.err = cmp.Or(l.peer.cause(), err)
	}
	close(l.over)
	l.conn.Close()
	clear(l.calls)
}

// failed returns the reason why the link has failed, or nil.
func (l *link) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// share returns the maximum number of outstanding READs of one session.
func (l *link) share() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(window/max(l.sessions, 1), 1)
}

// silent returns the error for a server that sends nothing.
func silent(limit time.Duration) error {
	return fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, limit)
}

var errClosed = errors.New("the session is closed")
