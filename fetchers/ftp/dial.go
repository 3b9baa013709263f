package ftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// dial opens a data connection to a port of the server.
func (s *session) dial(port int) (net.Conn, error) {
	addr := net.JoinHostPort(s.machine, strconv.Itoa(port))
	c, err := s.dialData(addr, port)
	if err != nil && s.hasRefused() {
		return nil, err // the server closed the port when it refused the command
	}
	if err != nil && s.ctl.portDoubt && closed(err) {
		return nil, s.ctl.stumbles(err)
	}
	if err != nil && closed(err) && !s.lib.noEPSV && s.mayPASV() {
		if s.unreached = s.hasty; !s.hasty {
			c, addr, err = s.dialPASV(addr, err)
		}
	}
	if err != nil {
		return nil, s.ctl.breaks(err)
	}
	s.data = c // without TLS, whose Close would send close_notify
	if s.tls != nil {
		c = s.protected(c)
	}
	c = transport.WithTap(c, s.ctl.DataTap(addr))
	s.bare, _ = c.(*transport.Conn)
	return c, nil
}

// dialPASV opens a data connection to the port of PASV, after a connection to addr, the address of
// EPSV, has failed with err: a firewall may support PASV only. It also returns the address.
func (s *session) dialPASV(addr string, err error) (net.Conn, string, error) {
	s.ctl.trace.Note("the port of EPSV is not reached, so PASV is tried")
	r, failed := s.ctl.ask("PASV")
	port, ok := passivePort(r.Text)
	if failed != nil || r.Code != 227 || !ok {
		return nil, addr, err
	}
	addr = net.JoinHostPort(s.machine, strconv.Itoa(port))
	c, err := s.dialData(addr, port)
	if err == nil {
		s.lib.noEPSV = true
		s.f.habits.learn(s.key.addr, habit{noEPSV: true})
	}
	return c, addr, err
}

// connect connects to the server of e, reads its greeting and starts TLS.
func (s *session) connect(e errand) error {
	addr := e.req.URL.Addr()
	conn, err := transport.Dial(s.ctx, s.f.Network, addr)
	if err != nil {
		return err
	}
	var known bool
	s.machine, known = s.machineOf(conn, addr)
	s.ctl = newControl(conn)
	s.ctl.between = cmp.Or(s.f.between, between)
	var offer func() (int, fetchers.Reply, error)
	if s.f.Active {
		// A proxy may hide its address, but a connection through it is no *net.TCPConn.
		if conn.Direct() && known {
			offer = s.offer
		} else {
			s.ctl.trace.Note("no active mode through a proxy")
		}
	}
	s.ctl.plain = s.f.habits.of(s.key.addr).plain
	if err := s.begin(e); err != nil {
		return err
	}
	if !s.key.secure && s.f.AuthTLS != Never {
		if err := s.auth(); err != nil {
			return err
		}
	}
	if s.lib, err = newLibrary(s.ctl, s.dial, offer); err != nil {
		return err
	}
	s.lib.noEPSV, s.lib.noFEAT = s.avoidsEPSV(), s.avoidsFEAT()
	return nil
}

// avoidsEPSV reports whether to use PASV instead of EPSV.
func (s *session) avoidsEPSV() bool {
	return (s.f.NoEPSV || s.f.habits.of(s.key.addr).noEPSV) && s.mayPASV()
}

// mayPASV reports whether PASV may be used, which supports IPv4 only.
func (s *session) mayPASV() bool {
	ip, err := netip.ParseAddr(s.machine)
	return err != nil || ip.Is4()
}

// machineOf returns the host of the control connection's peer, and whether it is known; addr is the
// dialled address. If the Network has no DialData and the peer's port is not that of addr, the peer
// may be a proxy; then machineOf returns the host of the URL.
func (s *session) machineOf(c *transport.Conn, addr string) (host string, known bool) {
	told := s.f.Network != nil && s.f.Network.DialData != nil
	switch peer := c.RemoteAddr().(type) {
	case nil:
	case *net.TCPAddr:
		if told || strconv.Itoa(peer.Port) == portOf(addr) {
			return peer.AddrPort().Addr().Unmap().String(), true
		}
	default:
		if host, _, err := net.SplitHostPort(peer.String()); told && err == nil {
			return host, true
		}
	}
	return s.host, false
}

// begin starts TLS, for ftps, and reads the greeting.
func (s *session) begin(e errand) error {
	turn := s.takeTurn(e)
	defer turn.end()
	if s.key.secure {
		if err := s.secure(); err != nil {
			return err
		}
	}
	return s.greeting()
}

// greeting reads the greeting. After 120 another one follows (RFC 959, section 5.4).
func (s *session) greeting() error {
	for range 10 {
		x, err := s.ctl.next()
		if err != nil {
			return err
		}
		s.ctl.greeted = true
		s.ctl.plain = s.ctl.plain || inOrder.Match(x.text) // in any line: a banner may follow the name
		switch class := x.reply.Code / 100; {
		case class == 2:
			return nil
		case class != 1:
			return s.ctl.failure(errors.New(x.reply.Text))
		}
	}
	return fmt.Errorf("%w: endless greetings", fetchers.ErrProtocol)
}

// dialData connects to addr, a port of the host of the control connection, whatever host the server
// names, and refuses ports of other services. The server listens before it sends the port (RFC 959,
// section 5.2), so the command of the transfer is sent before the connection is established.
func (s *session) dialData(addr string, port int) (net.Conn, error) {
	if l := s.listener; l != nil {
		s.listener = nil
		return &activeConn{s: s, listener: l}, nil
	}
	switch {
	case port < 1:
		return nil, fmt.Errorf("%w: data port %d", fetchers.ErrProtocol, port)
	case port < 1024:
		return nil, fmt.Errorf("%w: data port %d belongs to another service", fetchers.ErrBlocked, port)
	}
	if s.hasty = !s.ctl.plain && !s.f.habits.of(s.key.addr).dataFirst; s.hasty {
		if _, err := s.ctl.send(s.opening); err != nil {
			return nil, err
		}
	}
	ctx := s.ctx
	if s.ctl.portDoubt {
		limited, cancel := context.WithTimeout(ctx, s.ctl.between)
		defer cancel()
		ctx = limited
	}
	c, err := transport.DialData(ctx, s.f.Network, addr)
	if err != nil {
		return nil, err
	}
	c.Bind(s.ctx)
	c.Flow()
	return c, nil
}

// hasRefused reports whether the server has refused a command that was sent while the data
// connection was dialled. It waits briefly for the reply. 425 is no refusal: it reports the missing
// connection.
func (s *session) hasRefused() bool {
	if !s.ctl.owed() {
		return false
	}
	limited, cancel := context.WithTimeout(s.ctx, lastWord)
	defer cancel()
	s.ctl.Bind(limited)
	defer s.ctl.Bind(s.ctx)
	if _, err := s.ctl.ask(s.opening); err == nil || s.ctl.leaving {
		return s.ctl.last.Code >= 400 && s.ctl.last.Code != 425
	}
	s.ctl.broken = nil // the caller reports the error of the dial
	return false
}

// closed reports whether err, of a dial for data, means that the port was not reached. A reset
// comes from a reached port, whose connection the server has already ended.
func closed(err error) bool {
	for _, other := range []error{fetchers.ErrBlocked, fetchers.ErrProtocol, syscall.ECONNRESET} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}
