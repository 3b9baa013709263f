package dict

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A session is a connection with its login.
type session struct {
	trace fetchers.Tracer
	lease *lease
	conn  *transport.Conn
	in    *bufio.Reader

	announced bool  // CLIENT was sent
	owed      int   // expected replies
	broken    error // the reason why the connection is unusable
}

// maxReply limits a status line in bytes; RFC 2229, section 2.3, allows 1024.
const maxReply = 4 << 10

// open connects to a server, and logs in if there is a user.
func (f *Fetcher) open(ctx context.Context, k key) (*session, error) {
	conn, err := transport.Dial(ctx, f.Network, k.addr)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, in: bufio.NewReader(conn), trace: conn.Trace(), owed: 1}
	banner, err := s.want(220)
	if err == nil && k.given {
		err = s.login(k, banner.Text)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// login logs in with AUTH (RFC 2229, section 3.11), if the banner offers it.
func (s *session) login(k key, banner string) error {
	capabilities, id := offers(banner)
	if !slices.Contains(capabilities, "auth") {
		s.trace.Note("the server has no AUTH, so there is no login")
		return nil
	}
	sum := md5.Sum([]byte(id + k.password))
	proof := hex.EncodeToString(sum[:])
	if err := s.send("AUTH", k.user, proof); err != nil {
		return err
	}
	_, err := s.want(230)
	return err
}

// offers returns the capabilities in the text of a banner, in lower case, and its message-id, with
// the angle brackets (RFC 2229, section 3.1).
func offers(banner string) (capabilities []string, id string) {
	fields := strings.Fields(banner)
	if len(fields) == 0 || !bracketed(fields[len(fields)-1]) {
		return nil, ""
	}
	id = fields[len(fields)-1]
	if len(fields) > 1 && bracketed(fields[len(fields)-2]) {
		list := fields[len(fields)-2]
		capabilities = strings.Split(strings.ToLower(list[1:len(list)-1]), ".")
	}
	return capabilities, id
}

func bracketed(s string) bool { return len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>' }

// send sends a command. Before the first command it sends CLIENT and reads its reply. The Trace
// does not get the proof of AUTH.
func (s *session) send(command ...string) error {
	if s.broken != nil {
		return s.broken
	}
	line, err := lineOf(command)
	if err != nil {
		return s.breaks(err)
	}
	shown := line
	if command[0] == "AUTH" {
		shown = strings.TrimSuffix(line, command[2]+"\r\n") + "***\r\n"
	}
	first := ""
	if !s.announced {
		first = "CLIENT fetch\r\n"
		s.trace.Sent("CLIENT fetch")
		s.owed++
	}
	s.trace.Sent(strings.TrimSuffix(shown, "\r\n"))
	s.owed++
	if _, err := s.conn.WriteAs([]byte(first+line), first+shown); err != nil {
		return s.breaks(err)
	}
	if !s.announced {
		s.announced = true
		if r, err := s.receive(); err != nil || r.Code/100 == 4 {
			return s.expect(r, err)
		}
	}
	return nil
}

// ask sends a command, and fails unless its reply has the code want.
func (s *session) ask(command []string, want int) (fetchers.Reply, error) {
	if err := s.send(command...); err != nil {
		return fetchers.Reply{}, err
	}
	return s.want(want)
}

// want reads a status line, and fails unless it has one of the codes.
func (s *session) want(codes ...int) (fetchers.Reply, error) {
	r, err := s.receive()
	return r, s.expect(r, err, codes...)
}

// expect returns nil if r has one of the codes.
func (s *session) expect(r fetchers.Reply, err error, codes ...int) error {
	switch {
	case err != nil:
		return err
	case slices.Contains(codes, r.Code):
		return nil
	case r.Code < 400: // a text may follow
		return s.breaks(fmt.Errorf("%w: %d %.300q", fetchers.ErrProtocol, r.Code, r.Text))
	case r.Code == 420, r.Code == 421: // the server closes the connection
		return s.breaks(refusal(r))
	}
	return refusal(r)
}

// receive reads a status line (RFC 2229, section 2.4). The next line has to arrive within the
// response limit, unless the caller calls Flow.
func (s *session) receive() (fetchers.Reply, error) {
	if s.broken != nil {
		return fetchers.Reply{}, s.broken
	}
	s.conn.Await()
	line, err := transport.ReadLine(s.in, s.conn.HeaderLimit(maxReply))
	if err != nil {
		return fetchers.Reply{}, s.breaks(err)
	}
	s.trace.Got(line)
	code, text, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(code)
	if err != nil || len(code) != 3 || n < 100 || n > 599 {
		return fetchers.Reply{}, s.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, line))
	}
	if n/100 != 1 { // otherwise another line ends the answer
		s.owed--
	}
	return fetchers.Reply{Code: n, Text: text}, nil
}

// breaks stores the first reason why the connection is unusable.
func (s *session) breaks(err error) error {
	if s.broken == nil {
		s.broken = err
	}
	return err
}

// Bind makes s obey ctx instead of its previous context.
func (s *session) Bind(ctx context.Context) {
	s.conn.Bind(ctx)
	s.trace = s.conn.Trace()
}

// Unbind makes s obey no context.
func (s *session) Unbind() {
	s.conn.Unbind()
	s.trace = s.conn.Trace()
}

// Quiet reports whether the server has sent no bytes since its answer.
func (s *session) Quiet() bool { return s.conn.Quiet() }

// Ping sends STATUS. Any answer shows that the server is alive.
func (s *session) Ping() bool {
	_, err := s.ask([]string{"STATUS"}, 210)
	return err == nil || s.broken == nil
}

// InStep reports whether all replies have arrived, and nothing else.
func (s *session) InStep() bool { return s.broken == nil && s.owed == 0 && s.in.Buffered() == 0 }

// Quit sends QUIT without waiting for the answer.
func (s *session) Quit() { s.send("QUIT") }

// Close closes the connection in any state.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalAddr returns the local address.
func (s *session) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// TLS returns nil: the protocol has no TLS.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }
