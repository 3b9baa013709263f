package redis

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A session is a connection, on which the user is logged in.
type session struct {
	conn   *transport.Conn
	in     *bufio.Reader
	secret string // the password that is being sent; answers are masked
	broken bool   // an answer did not come, or not whole, or made no sense
}

// open connects, over TLS for rediss, and logs in.
func (f *Fetcher) open(ctx context.Context, k key, host string) (*session, error) {
	conn, err := transport.Dial(ctx, f.Network, k.addr)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, in: bufio.NewReader(conn)}
	if k.secure {
		err = conn.Secure(transport.TLSConfig(f.TLS, host, k.named), s.in)
	}
	if err == nil && k.given {
		err = s.login(k)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// login sends the user and the password. Servers before version 6 have a password only.
func (s *session) login(k key) error {
	args := []string{"AUTH", k.user, k.password}
	if k.user == "" {
		args = []string{"AUTH", k.password}
	}
	s.conn.Conceal(k.password)
	s.secret = k.password
	defer func() {
		s.conn.Conceal("")
		s.secret = ""
	}()
	_, err := s.ask("+", "AUTH ***", args...)
	return err
}

// number sends a command whose answer is a number.
func (s *session) number(command, name string) (int64, error) {
	return s.count(":", command, name)
}

// bulk sends a command whose answer is a string, and returns the length. The string follows.
func (s *session) bulk(command, name string) (int64, error) {
	n, err := s.count("$", command, name)
	if err == nil && n == -1 {
		err = fmt.Errorf("%w: no such key", fs.ErrNotExist)
	}
	return n, err
}

func (s *session) count(kind, command, name string) (int64, error) {
	text, err := s.ask(kind, "", command, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < -1 {
		return 0, s.breaks(fmt.Errorf("%w: %.60q for a number", fetchers.ErrProtocol, text))
	}
	return n, nil
}

// ask sends a command, of which shown may be seen unless it is empty, and returns the line of
// the answer, which has to be of a kind.
func (s *session) ask(kind, shown string, args ...string) (string, error) {
	octets := fmt.Sprintf("*%d\r\n", len(args))
	for _, arg := range args {
		octets += fmt.Sprintf("$%d\r\n%s\r\n", len(arg), arg)
	}
	if shown == "" {
		shown = octets
	}
	s.conn.Trace().Sent(shown)
	if _, err := s.conn.WriteAs([]byte(octets), shown); err != nil {
		return "", s.breaks(err)
	}
	s.conn.Await()
	line, err := transport.ReadLine(s.in, s.conn.HeaderLimit(4<<10))
	if err != nil {
		return "", s.breaks(err)
	}
	line = transport.Masked(line, s.secret) // a server may repeat it
	s.conn.Trace().Got(line)
	if text, ok := strings.CutPrefix(line, kind); ok {
		return text, nil
	}
	if text, ok := strings.CutPrefix(line, "-"); ok {
		return "", refusal(text)
	}
	return "", s.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, line))
}

func (s *session) breaks(err error) error {
	s.broken = true
	return err
}

// classes are those of errors, by the word that an error begins with.
var classes = map[string]error{
	"NOAUTH": fetchers.ErrLogin, "WRONGPASS": fetchers.ErrLogin, "NOPERM": fs.ErrPermission,
	"LOADING": fetchers.ErrTemporary, "BUSY": fetchers.ErrTemporary, "MASTERDOWN": fetchers.ErrTemporary, "TRYAGAIN": fetchers.ErrTemporary,
}

func refusal(text string) error {
	word, _, _ := strings.Cut(text, " ")
	return &fetchers.StatusError{Reply: fetchers.Reply{Text: text}, Class: classes[word]}
}

// The methods of a transport.Session.

func (s *session) Bind(ctx context.Context)  { s.conn.Bind(ctx) }
func (s *session) Unbind()                   { s.conn.Unbind() }
func (s *session) Quiet() bool               { return s.conn.Quiet() }
func (s *session) Ping() bool                { _, err := s.ask("+", "", "PING"); return err == nil }
func (s *session) InStep() bool              { return !s.broken && s.in.Buffered() == 0 }
func (s *session) Quit()                     {} // the client hangs up
func (s *session) Close() error              { return s.conn.Close() }
func (s *session) RemoteAddr() net.Addr      { return s.conn.RemoteAddr() }
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }

// A value is the Body of a Resource.
type value struct {
	lease *lease
	left  int64
	err   error
}

func (v *value) Read(p []byte) (int, error) {
	s := v.lease.Session
	if v.err == nil && v.left == 0 {
		v.err = v.finish(s)
	}
	if v.err != nil {
		return 0, v.err
	}
	n, err := s.in.Read(p[:min(int64(len(p)), v.left)])
	v.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = fetchers.Temporary(fmt.Errorf("%w: %d bytes are missing", io.ErrUnexpectedEOF, v.left))
	}
	if err != nil {
		v.err = err
		v.Close()
	}
	return n, err
}

// finish reads the line end that follows a value. Without it the length was wrong.
func (v *value) finish(s *session) error {
	line, err := transport.ReadLine(s.in, 0)
	if err == nil && line != "" {
		err = fmt.Errorf("%w: more comes than was announced", fetchers.ErrProtocol)
	}
	if err != nil {
		v.Close()
		return err
	}
	v.lease.Done()
	return io.EOF
}

// Close closes the connection, unless the whole value was read.
func (v *value) Close() error { return v.lease.Close() }
