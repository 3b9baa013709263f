package ftp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// offer starts to listen for the next data connection in active mode, and sends the server the
// address to connect to, by EPRT (RFC 2428, section 2) or else by PORT. If the server refuses with
// reply r, the port is 0.
func (s *session) offer() (port int, r fetchers.Reply, err error) {
	local, ok := s.ctl.LocalAddr().(*net.TCPAddr)
	if !ok {
		return 0, r, s.ctl.breaks(fmt.Errorf("no active mode from %v", s.ctl.LocalAddr()))
	}
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: local.IP, Zone: local.Zone})
	if err != nil {
		return 0, r, s.ctl.breaks(err)
	}
	ip := local.AddrPort().Addr().Unmap().WithZone("")
	port = listener.Addr().(*net.TCPAddr).Port
	family := 2
	if ip.Is4() {
		family = 1
	}
	if !s.f.NoEPRT || !ip.Is4() {
		r, err = s.ctl.ask(fmt.Sprintf("EPRT |%d|%s|%d|", family, ip, port))
	}
	if err == nil && r.Code/100 != 2 && ip.Is4() {
		r, err = s.ctl.ask(fmt.Sprintf("PORT %s,%d,%d", strings.ReplaceAll(ip.String(), ".", ","), port>>8, port&0xff))
	}
	if err != nil || r.Code/100 != 2 {
		listener.Close()
		return 0, r, err
	}
	s.listener = listener
	return port, r, nil
}

// An activeConn is a data connection that the server opens. The first Read, or a Write of TLS, waits for
// it.
type activeConn struct {
	s        *session
	listener *net.TCPListener

	mu   sync.Mutex
	conn *transport.Conn
	err  error
}

// await waits for the server, up to the timeout of making a connection.
func (c *activeConn) await() (*transport.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil && c.err == nil {
		nw := fetchers.Network{Dial: c.accept}
		if c.s.f.Network != nil {
			nw.Connect, nw.Stall = c.s.f.Network.Connect, c.s.f.Network.Stall
		}
		if c.conn, c.err = transport.DialData(c.s.ctx, &nw, c.listener.Addr().String()); c.err == nil {
			c.conn.Bind(c.s.ctx)
			c.conn.Flow()
		}
		c.listener.Close()
	}
	return c.conn, c.err
}

// watch is the interval in which accept checks whether the server has refused to connect.
const watch = 100 * time.Millisecond

// accept accepts a connection from the address of the control connection's peer only.
func (c *activeConn) accept(ctx context.Context, _, _ string) (net.Conn, error) {
	defer context.AfterFunc(ctx, func() { c.listener.Close() })()
	limit, refused := watch, false
	for {
		c.listener.SetDeadline(time.Now().Add(limit))
		conn, err := c.listener.AcceptTCP()
		switch {
		case c.s.ctx.Err() != nil:
			err = c.s.ctx.Err()
		case ctx.Err() != nil:
			err = fmt.Errorf("%w: the server does not connect", fetchers.ErrStalled)
		case !errors.Is(err, os.ErrDeadlineExceeded):
		case refused:
			err = c.s.ctl.connectRefused()
		default:
			if refused = c.s.ctl.refusesData(); refused {
				limit = watch / 10 // the server may have connected before it refused
			}
			continue
		}
		if err != nil {
			if conn != nil {
				conn.Close()
			}
			return nil, err
		}
		if addrOf(conn) == addrOf(c.s.ctl) {
			return conn, nil
		}
		c.s.ctl.trace.Note("another machine connects, and is refused: " + conn.RemoteAddr().String())
		conn.Close()
	}
}

// connectRefused returns the error for a server that does not connect. Its reply is added later, by
// transfer.explain.
func (c *control) connectRefused() error {
	const text = "the server does not connect"
	if c.broken != nil {
		return fmt.Errorf("%s: %w", text, c.broken)
	}
	return errors.New(text)
}

// addrOf returns the address of the peer, or the zero Addr.
func addrOf(c net.Conn) netip.Addr {
	a, _ := c.RemoteAddr().(*net.TCPAddr)
	return a.AddrPort().Addr().Unmap().WithZone("")
}

func (c *activeConn) Read(p []byte) (int, error) {
	conn, err := c.await()
	if err != nil {
		return 0, err
	}
	return conn.Read(p)
}

func (c *activeConn) Write(p []byte) (int, error) {
	conn, err := c.await()
	if err != nil {
		return 0, err
	}
	return conn.Write(p)
}

// Close ends a concurrent await.
func (c *activeConn) Close() error {
	c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		c.err = net.ErrClosed
		return nil
	}
	return c.conn.Close()
}

func (c *activeConn) LocalAddr() net.Addr  { return c.listener.Addr() }
func (c *activeConn) RemoteAddr() net.Addr { return c.s.ctl.RemoteAddr() }

// The underlying connection has its own deadlines.
func (c *activeConn) SetDeadline(time.Time) error      { return nil }
func (c *activeConn) SetReadDeadline(time.Time) error  { return nil }
func (c *activeConn) SetWriteDeadline(time.Time) error { return nil }
