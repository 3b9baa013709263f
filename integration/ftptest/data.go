package ftptest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// acceptTimeout is how long a transfer waits for the client to connect.
const acceptTimeout = 10 * time.Second

// A dataPort is the end of the next data connection: a listener for the client (PASV, EPSV), or an
// address of the client (PORT, EPRT). The zero dataPort is neither.
type dataPort struct {
	listener *net.TCPListener
	client   netip.AddrPort
}

func (p *dataPort) close() {
	if p.listener != nil {
		p.listener.Close()
	}
	*p = dataPort{}
}

// connect makes the data connection that belongs to this control connection.
func (p *dataPort) connect(ctx context.Context, control net.Conn) (*net.TCPConn, error) {
	switch {
	case p.listener != nil:
		listener := p.listener
		listener.SetDeadline(time.Now().Add(acceptTimeout))
		defer context.AfterFunc(ctx, func() { listener.Close() })()
		conn, err := listener.AcceptTCP()
		if err != nil {
			return nil, err
		}
		if addrOf(conn.RemoteAddr()) != addrOf(control.RemoteAddr()) {
			conn.Close()
			return nil, errors.New("a stranger connected")
		}
		return conn, nil
	case p.client.IsValid():
		dialer := net.Dialer{Timeout: acceptTimeout, LocalAddr: localPort(control)}
		conn, err := dialer.DialContext(ctx, "tcp", p.client.String())
		if err != nil {
			return nil, err
		}
		return conn.(*net.TCPConn), nil
	}
	return nil, errors.New("neither side knows where to connect")
}

// send sends r over a data connection.
func (s *session) send(command, path, opening string, r io.Reader) {
	s.transfer(command, path, opening, func(ctx context.Context, conn *dataConn, f *fault) error {
		return carry(ctx, server.Pace(ctx, conn, s.server.rate), r, conn, f)
	})
}

// transfer lets copy use a data connection, from the first reply to the last.
func (s *session) transfer(command, path, opening string, copy func(context.Context, *dataConn, *fault) error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.abort.Store(&cancel)

	f := s.server.faultFor(command, path)
	if f != nil && f.Do == Say425 && f.strikes() {
		s.port.close()
		s.reply(425, "Can't open data connection.")
		return
	}
	tcp, err := s.port.connect(ctx, s.tcp)
	s.port.close() // RFC 959, section 3.2: in stream mode a connection is one file.
	if err != nil {
		s.reply(425, "Can't open data connection.")
		return
	}
	defer context.AfterFunc(ctx, func() { tcp.Close() })()
	s.reply(150, opening)
	if f != nil && f.Do == Early226 {
		s.reply(226, "Transfer complete.")
	}
	conn, ok := s.protect(tcp)
	if !ok {
		conn.Close()
		s.reply(522, "SSL connection failed: session reuse required")
		s.quitting = true
		return
	}
	err = copy(ctx, conn, f)
	switch err {
	case errNoNotify:
		tcp.Close()
		err = nil
	case errHold:
		s.reply(226, "Transfer complete.")
		io.Copy(io.Discard, tcp) // Nothing comes; this ends when either side closes.
		tcp.Close()
		return
	}
	conn.Close()
	s.ended(ctx, err)
}

// ended sends the reply for the end of a transfer.
func (s *session) ended(ctx context.Context, err error) {
	var connErr *net.OpError
	switch {
	case err == nil:
		s.reply(226, "Transfer complete.")
	case err == errSilent:
	case err == errDropReset:
		s.tcp.SetLinger(0) // Close is a reset now.
		s.quitting = true
	case err == errDrop:
		s.quitting = true
	case err == errFull:
		s.reply(552, "Exceeded storage allocation.")
	case err == errCut, ctx.Err() != nil, errors.As(err, &connErr), errors.Is(err, io.ErrUnexpectedEOF):
		s.reply(426, "Connection closed; transfer aborted.")
	default:
		s.reply(451, "Local error in processing.")
	}
}

// pasv answers PASV, whose reply has no room for an address of IPv6.
func (s *session) pasv(string) {
	host := addrOf(s.conn.LocalAddr())
	if !host.Is4() {
		s.reply(425, "Use EPSV with IPv6.")
		return
	}
	port, err := s.listen()
	if err != nil {
		s.reply(425, "Can't open passive connection.")
		return
	}
	s.replyf(227, "Entering Passive Mode (%s,%d,%d).", strings.ReplaceAll(host.String(), ".", ","), port>>8, port&0xff)
}

// epsv answers RFC 2428, section 3.
func (s *session) epsv(arg string) {
	if arg != "" && arg != s.family() {
		s.unsupported()
		return
	}
	port, err := s.listen()
	if err != nil {
		s.reply(425, "Can't open passive connection.")
		return
	}
	s.extended(port)
}

func (s *session) extended(port uint16) {
	s.replyf(229, "Entering Extended Passive Mode (|||%d|)", port)
}

// family returns the number that EPSV and EPRT have for the protocol of the control
// connection: 1 is IPv4 and 2 is IPv6.
func (s *session) family() string {
	if addrOf(s.conn.LocalAddr()).Is4() {
		return "1"
	}
	return "2"
}

func (s *session) unsupported() {
	s.replyf(522, "Network protocol not supported, use (%s)", s.family())
}

// closedPort answers EPSV with a closed port.
func (s *session) closedPort() {
	port, _ := s.listen()
	s.port.close()
	s.extended(port)
}

// listen opens a listener on the address at which the client found us.
func (s *session) listen() (port uint16, err error) {
	s.port.close()
	s.port.listener, err = net.ListenTCP("tcp", localPort(s.conn))
	if err != nil {
		return 0, err
	}
	return s.port.listener.Addr().(*net.TCPAddr).AddrPort().Port(), nil
}

// portCommand answers PORT h1,h2,h3,h4,p1,p2.
func (s *session) portCommand(arg string) {
	numbers := strings.Split(arg, ",")
	if len(numbers) != 6 {
		s.reply(501, "Six numbers are needed.")
		return
	}
	high, err1 := strconv.ParseUint(numbers[4], 10, 8)
	low, err2 := strconv.ParseUint(numbers[5], 10, 8)
	host, err3 := netip.ParseAddr(strings.Join(numbers[:4], "."))
	if err := errors.Join(err1, err2, err3); err != nil {
		s.reply(501, "Not an address.")
		return
	}
	s.connectTo(netip.AddrPortFrom(host, uint16(high<<8|low)))
}

// eprt answers EPRT |1|address|port|, with any delimiter. RFC 2428, section 2.
func (s *session) eprt(arg string) {
	if arg == "" {
		s.reply(501, "An address is needed.")
		return
	}
	parts := strings.Split(arg, arg[:1])
	if len(parts) != 5 {
		s.reply(501, "Not an address.")
		return
	}
	if parts[1] != s.family() {
		s.unsupported()
		return
	}
	addr, err := netip.ParseAddrPort(net.JoinHostPort(parts[2], parts[3]))
	if err != nil {
		s.reply(501, "Not an address.")
		return
	}
	s.connectTo(addr)
}

// connectTo takes the address of the client only. RFC 2577, section 3: a
// server that connects to others is a weapon.
func (s *session) connectTo(addr netip.AddrPort) {
	if addr.Addr() != addrOf(s.conn.RemoteAddr()) || addr.Port() == 0 {
		s.reply(501, "Not your address.")
		return
	}
	s.port.close()
	s.port.client = addr
	s.reply(200, "Okay.")
}

func addrOf(a net.Addr) netip.Addr {
	return a.(*net.TCPAddr).AddrPort().Addr().Unmap()
}

// localPort is any free port on the server's end of a connection.
func localPort(conn net.Conn) *net.TCPAddr {
	return &net.TCPAddr{IP: conn.LocalAddr().(*net.TCPAddr).IP}
}

// An asciiReader turns LF into CR LF, and leaves the CR LF it finds alone, as
// most servers do.
type asciiReader struct {
	r    *bufio.Reader
	last byte // the octet returned before
}

func (a *asciiReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := a.r.ReadByte()
		if err != nil {
			return n, err
		}
		if c == '\n' && a.last != '\r' {
			a.r.UnreadByte() // Next time it comes after a CR.
			c = '\r'
		}
		p[n] = c
		a.last = c
		n++
	}
	return n, nil
}
