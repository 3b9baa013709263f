package sftp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A peer is the server of a link.
type peer struct {
	remote, local net.Addr
	cause         func() error // the reason why the client ends the connection; nil if it never does
}

// A socket is a connection that stores the time of the last received byte. It obeys no context,
// since several sessions may use it.
type socket struct {
	*transport.Conn
	in   *bufio.Reader // the SSH library reads 4 KiB at a time
	life *atomic.Int64
}

// buffered is the size of the read buffer.
const buffered = 256 << 10

func (c socket) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.life.Store(time.Now().UnixNano())
	return n, err
}

// connect connects to a server through its jump hosts, and opens SFTP there.
func (f *Fetcher) connect(ctx context.Context, d *destination) (*link, error) {
	done, err := f.links.login(ctx, d.hops[0].addr)
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := transport.Dial(fetchers.WithoutTap(ctx), f.Network, d.hops[0].addr)
	if err != nil {
		return nil, d.at(0, err)
	}
	conn.Unbind()
	conn.Flow() // the watch has the timeouts
	conn.WaitForEver()
	life := new(atomic.Int64)
	life.Store(time.Now().UnixNano())
	w := newWatch(ctx, f.Network, conn, life)
	defer w.stop()
	l, err := f.open(ctx, d, w, socket{conn, bufio.NewReaderSize(conn, buffered), life})
	if err != nil {
		conn.Close()
		return nil, err
	}
	l.run()
	return l, nil
}

// at returns the error of a hop.
func (d *destination) at(i int, err error) error {
	if i == len(d.hops)-1 {
		return err
	}
	return &fetchers.ProxyError{Proxy: "ssh://" + d.hops[i].user + "@" + d.hops[i].addr, Err: err}
}

// open logs in at each jump host over conn, and at the server.
func (f *Fetcher) open(ctx context.Context, d *destination, w *watch, conn socket) (*link, error) {
	var on net.Conn = conn
	var logins []*login
	for i, h := range d.hops {
		g := &login{f: f, ctx: ctx, hop: h, watch: w, trace: fetchers.ContextTrace(ctx)}
		logins = append(logins, g)
		client, err := g.handshake(on)
		if err != nil {
			return nil, d.at(i, err)
		}
		if i < len(d.hops)-1 {
			if on, err = client.Dial("tcp", d.hops[i+1].addr); err != nil {
				return nil, d.at(i, w.explain(err))
			}
			continue
		}
		channel, err := subsystem(client, w)
		if err != nil {
			return nil, err
		}
		cause := func() error {
			for _, g := range logins {
				if err := g.cause(); err != nil {
					return err
				}
			}
			return nil
		}
		l := newLink(closing{channel, conn}, peer{conn.RemoteAddr(), conn.LocalAddr(), cause}, conn.life, f.Network.HeaderLimit(maxPacket))
		if err := l.begin(); err != nil {
			return nil, w.explain(err)
		}
		return l, nil
	}
	return nil, errors.New("no host")
}

// A closing is a channel whose Close also closes the connection.
type closing struct {
	ssh.Channel
	conn io.Closer
}

func (c closing) Close() error { return c.conn.Close() }

// handshake starts SSH on conn and logs in.
func (g *login) handshake(conn net.Conn) (*ssh.Client, error) {
	algorithms, err := g.hop.hosts.algorithms(g.hop.known, g.hop.acceptChanged != nil)
	if err != nil {
		return nil, err
	}
	config := &ssh.ClientConfig{
		User:              g.hop.user,
		HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			doubtful, err := g.f.trust(g.hop, key)
			if err != nil {
				return g.fails(err)
			}
			g.doubtful = doubtful
			if g.trace.Lines() {
				state := "is known"
				if doubtful {
					state = "has changed"
				}
				g.trace.Note(fmt.Sprintf("the key of %s %s: %s %s", g.hop.name(), state, key.Type(), ssh.FingerprintSHA256(key)))
			}
			return nil
		},
		AuthCallback:   g.next,
		BannerCallback: g.banner,
	}
	c, channels, requests, err := ssh.NewClientConn(conn, g.hop.addr, config)
	if g.release != nil {
		g.release()
	}
	if err != nil {
		return nil, g.failure(err)
	}
	if g.trace.Lines() {
		by := "without a proof"
		if len(g.tried) > 0 {
			by = "by " + g.tried[len(g.tried)-1]
		}
		g.trace.Note(fmt.Sprintf("logged in as %s %s", g.hop.user, by))
	}
	return ssh.NewClient(c, channels, requests), nil
}

// subsystem opens SFTP (draft-ietf-secsh-filexfer-02, section 3).
func subsystem(client *ssh.Client, w *watch) (ssh.Channel, error) {
	channel, requests, err := client.OpenChannel("session", nil)
	if err != nil {
		return nil, w.explain(err)
	}
	go ssh.DiscardRequests(requests)
	go io.Copy(io.Discard, channel.Stderr()) // otherwise it would fill the window
	ok, err := channel.SendRequest("subsystem", true, ssh.Marshal(struct{ Name string }{"sftp"}))
	if err != nil {
		return nil, w.explain(err)
	}
	if !ok {
		return nil, fmt.Errorf("%w: the server has no SFTP", errors.ErrUnsupported)
	}
	return channel, nil
}

// A watch ends a connection if its handshake takes too long, or if its context is done. The time in
// which the user answers a question does not count.
type watch struct {
	ctx     context.Context
	conn    io.Closer
	life    *atomic.Int64
	stall   time.Duration // timeout without received bytes; 0 means no limit
	limit   time.Duration // timeout of the handshake; 0 means no limit
	release func() bool

	alive context.Context // ends when the watch ends the connection
	end   context.CancelFunc

	mu     sync.Mutex
	began  time.Time // start of the handshake, moved forward by the time of questions
	asking int
	since  time.Time // start of the current question
	timer  *time.Timer
	err    error
	over   bool
}

func newWatch(ctx context.Context, nw *fetchers.Network, conn io.Closer, life *atomic.Int64) *watch {
	w := &watch{ctx: ctx, conn: conn, life: life, stall: nw.StallLimit(), limit: nw.ResponseLimit(), began: time.Now()}
	w.alive, w.end = context.WithCancel(ctx)
	w.release = context.AfterFunc(ctx, func() { conn.Close() })
	w.mu.Lock()
	defer w.mu.Unlock()
	if left, _ := w.left(); left > 0 {
		w.timer = time.AfterFunc(left, w.look)
	}
	return w
}

// left returns the time until the next limit, or 0 if there is none, and that limit. The caller
// holds the lock.
func (w *watch) left() (left, limit time.Duration) {
	now := time.Now()
	if w.limit > 0 {
		left, limit = w.limit-now.Sub(w.began), w.limit
	}
	if w.stall > 0 {
		quiet := now.Sub(later(time.Unix(0, w.life.Load()), w.since))
		if silence := w.stall - quiet; w.limit <= 0 || silence < left {
			left, limit = silence, w.stall
		}
	}
	if limit > 0 {
		left = max(left, 1)
	}
	return left, limit
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// look ends the connection if a limit has expired.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	if w.asking > 0 {
		w.timer.Reset(time.Second)
		return
	}
	left, limit := w.left()
	if left > 1 {
		w.timer.Reset(left)
		return
	}
	w.err = silent(limit)
	w.conn.Close()
	w.end()
}

// pause stops the clock until the function that it returns is called.
func (w *watch) pause() (resume func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asking++; w.asking == 1 {
		w.since = time.Now()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.asking--; w.asking == 0 {
			w.began = w.began.Add(time.Since(w.since))
			w.since = time.Now()
		}
	}
}

// stop ends the watch.
func (w *watch) stop() {
	w.release()
	w.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// cause returns the reason why the watch has ended the connection, or nil.
func (w *watch) cause() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// explain returns err, or the reason of the watch if the watch has ended the connection.
func (w *watch) explain(err error) error {
	if cause := w.cause(); cause != nil {
		return cause
	}
	var refused *ssh.OpenChannelError
	if errors.As(err, &refused) {
		return &fetchers.StatusError{Reply: fetchers.Reply{Code: int(refused.Reason), Text: refused.Message}, Class: fetchers.ErrTemporary}
	}
	return ended(err)
}
