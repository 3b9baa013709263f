package z3950

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

const (
	// messageSize is the maximum size of an answer with several records, which is held in memory.
	messageSize = 1 << 20

	// recordSize is the maximum size of an answer with one record, which is not held in memory.
	recordSize = 64 << 20

	// excess is how much longer than agreed an answer may be: servers count only the records,
	// without the message around them.
	excess = 64 << 10

	// maxReply is the maximum size of an answer without records.
	maxReply = 256 << 10

	// buffered is the size of the read buffer.
	buffered = 16 << 10

	// resultSet is the name of the only result set of a session.
	resultSet = "default"
)

// errHungUp is the error for a connection that the server closes instead of answering.
var errHungUp = fmt.Errorf("%w: the server closes the connection and does not answer", fetchers.ErrProtocol)

// A session is a connection to a server with a result set. It carries one request at a time.
type session struct {
	f     *Fetcher
	key   key
	trace fetchers.Tracer
	conn  *transport.Conn
	in    *bufio.Reader
	d     *z3950.Decoder
	lease *lease

	server   *z3950.InitResponse
	requests int  // number of requests; the number of the last one is its reference
	noDocIDs bool // the server does not support the attribute for docids
	asked    bool // a request has no complete answer yet
	broken   bool // the connection must not be reused
	heard    bool // an answer was received since Bind
}

// open connects to a server and begins a session.
func (f *Fetcher) open(ctx context.Context, k key) (*session, error) {
	conn, err := transport.Dial(ctx, f.Network, k.addr)
	if err != nil {
		return nil, err
	}
	s := &session{f: f, key: k, conn: conn, trace: conn.Trace(), in: bufio.NewReaderSize(conn, buffered)}
	s.d = z3950.NewDecoder(s.in)
	if err := s.begin(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Bind makes s obey ctx instead of its previous context.
func (s *session) Bind(ctx context.Context) {
	s.conn.Bind(ctx)
	s.trace, s.heard = s.conn.Trace(), false
}

// Unbind makes s obey no context.
func (s *session) Unbind() { s.conn.Unbind() }

// Quiet reports whether the server has sent no bytes since its answer.
func (s *session) Quiet() bool { return s.in.Buffered() == 0 && s.conn.Quiet() }

// Ping returns true: every request of the protocol costs the server work.
func (s *session) Ping() bool { return true }

// InStep reports whether each request has its complete answer, and no other byte has arrived.
func (s *session) InStep() bool { return !s.broken && !s.asked && s.in.Buffered() == 0 }

// Quit ends the session with a message, if the server supports version 3.
func (s *session) Quit() {
	if s.server.Versions&z3950.Version3 != 0 && s.InStep() {
		s.trace.Sent("Close: finished")
		s.conn.Write((&z3950.Close{}).Append(nil))
	}
}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalAddr returns the address of this end.
func (s *session) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }

// begin sends the login and negotiates the message sizes.
func (s *session) begin() error {
	told := "Init: versions 1 to 3, search, present"
	switch {
	case s.key.passwordSet:
		told += ", user " + s.key.user + ", password ***"
	case s.key.login:
		told += ", open ***"
	}
	s.trace.Sent(told)
	s.asked = true
	m := s.key.init()
	octets := m.Append(nil)
	shown := octets
	if s.key.login {
		shown = m.Masked()
	}
	if _, err := s.conn.WriteAs(octets, string(shown)); err != nil {
		s.broken = true
		return err
	}
	if err := s.await(z3950.InitResponseTag, maxReply); err != nil {
		return err
	}
	r, err := s.d.InitResponse()
	if err := s.whole(err); err != nil {
		return err
	}
	s.server = r
	s.trace.Got(fmt.Sprintf("InitResponse: accepted %v, version %d, messages of up to %d bytes, %s",
		r.Accepted, version(r.Versions), r.PreferredMessageSize, s.name()))
	if !r.Accepted {
		return s.rejected()
	}
	return nil
}

// rejected returns the reason why the server refused the session.
func (s *session) rejected() error {
	if len(s.server.Diagnostics) > 0 {
		return refused(s.server.Diagnostics[0])
	}
	return &fetchers.StatusError{Reply: fetchers.Reply{Text: "the server rejects the session"}, Class: fetchers.ErrLogin}
}

// version returns the highest of the versions in a set of bits.
func version(versions uint32) int {
	for v := 3; v > 1; v-- {
		if versions&(1<<(32-v)) != 0 {
			return v
		}
	}
	return 1
}

// name returns the name of the server's program.
func (s *session) name() string {
	m := s.server
	return strings.Join(strings.Fields(m.ImplementationName+" "+m.ImplementationVersion), " ")
}

// about returns information about the server, in lines.
func (s *session) about() string {
	return fmt.Sprintf("Z39.50 version %d\n%s\n", version(s.server.Versions), s.name())
}

// reference returns the reference of the next request.
func (s *session) reference() string {
	s.requests++
	return strconv.Itoa(s.requests)
}

// response reads the beginning of an answer from d. An answer to another request is an error; an
// answer without a reference counts as that to the last request.
func (s *session) response(d *z3950.Decoder) (*z3950.Response, error) {
	r, err := d.Response()
	if err != nil {
		return nil, s.failed(err)
	}
	if r.ReferenceID != "" && r.ReferenceID != strconv.Itoa(s.requests) {
		return nil, s.nonsense(fmt.Errorf("the answer to request %.40q, and request %d was the last", r.ReferenceID, s.requests))
	}
	return r, nil
}

// send sends a request.
func (s *session) send(told string, m interface{ Append(b []byte) []byte }) error {
	s.trace.Sent(told)
	if n, _ := s.conn.Pending(make([]byte, 1)); n > 0 || s.in.Buffered() > 0 { // they would count as the answer to m
		return s.nonsense(errors.New("an answer without a request"))
	}
	s.asked = true
	if _, err := s.conn.Write(m.Append(nil)); err != nil {
		s.broken = true
		return err
	}
	return nil
}

// await waits for an answer of at most the given size, and reads its beginning.
func (s *session) await(want z3950.Tag, most int64) error {
	s.conn.Await()
	tag, err := s.d.Begin(most)
	switch {
	case err == io.EOF:
		s.broken = true
		return errHungUp
	case err != nil:
		return s.failed(err)
	}
	s.heard = true
	if tag == want {
		return nil
	}
	if tag == z3950.CloseTag {
		return s.closed()
	}
	return s.nonsense(fmt.Errorf("an APDU that does not answer the request"))
}

// closed returns the error for a Close by the server.
func (s *session) closed() error {
	s.broken = true
	m, err := s.d.Close()
	if err != nil {
		return s.failed(err)
	}
	s.trace.Got(fmt.Sprintf("Close: reason %d %s", m.Reason, m.Text))
	e := &fetchers.StatusError{Reply: fetchers.Reply{Text: strings.TrimSpace("the server closes the session " + m.Text)}}
	switch m.Reason {
	case closeShutdown, closeSystemProblem, closeCostLimit, closeResources, closeLackOfActivity, closePeerAbort:
		e.Class = fetchers.Temporary(errors.New("the session was closed"))
	case closeSecurity:
		e.Class = fetchers.ErrLogin
	default:
		e.Class = fetchers.ErrProtocol
	}
	return e
}

// Reasons of a Close (Z39.50-1995, section 4.1).
const (
	closeShutdown       = 1
	closeSystemProblem  = 2
	closeCostLimit      = 3
	closeResources      = 4
	closeSecurity       = 5
	closeLackOfActivity = 7
	closePeerAbort      = 8
)

// whole reads the rest of an answer, unless err is not nil.
func (s *session) whole(err error) error {
	if err == nil {
		err = s.d.Finish()
	}
	if err != nil {
		return s.failed(err)
	}
	s.asked = false
	return nil
}

// failed marks s as unusable, and returns the reason. A cut is temporary.
func (s *session) failed(err error) error {
	s.broken = true
	switch {
	case errors.Is(err, z3950.ErrMalformed):
		return s.nonsense(err)
	case err == io.ErrUnexpectedEOF:
		return fetchers.Temporary(err)
	}
	return err
}

// nonsense marks s as out of step, and returns err as an ErrProtocol.
func (s *session) nonsense(err error) error {
	s.broken = true
	return fmt.Errorf("%w: %w", fetchers.ErrProtocol, err)
}
