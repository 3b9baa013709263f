package wais

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/internal/apdu"
)

const (
	// messageSize is the maximum message size that the client proposes; a server may reduce it. It
	// is the limit of the clients and servers of that time.
	messageSize = 100_000

	// excess is how much longer than agreed an answer may be. It limits the memory that a server
	// can make the client allocate.
	excess = 64 << 10
)

var (
	// errEmpty is the error for a message without a body. Servers send it if they do not understand
	// a request, or if the answer is too long. The connection stays usable.
	errEmpty = fmt.Errorf("%w: the server has no answer to that", fetchers.ErrProtocol)

	// errHungUp is the error for a connection that the server closes instead of answering.
	errHungUp = fmt.Errorf("%w: the server closes the connection and does not answer", fetchers.ErrProtocol)
)

// A session is a connection to a server. It carries one request at a time: servers drop a
// connection with a second one before the answer.
type session struct {
	f     *Fetcher
	trace fetchers.Tracer
	conn  *transport.Conn
	lease *lease

	size   int    // maximum message size
	buf    []byte // holds the latest answer
	broken bool   // the connection must not be reused
	body   bool   // received bytes belong to a Body
	heard  bool   // an answer was received since Bind
}

// open connects to the server at addr and negotiates the message size.
func (f *Fetcher) open(ctx context.Context, addr string) (*session, error) {
	conn, err := transport.Dial(ctx, f.Network, addr)
	if err != nil {
		return nil, err
	}
	s := &session{f: f, conn: conn, trace: conn.Trace(), size: messageSize}
	if err := s.begin(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Bind makes s obey ctx instead of its previous context.
func (s *session) Bind(ctx context.Context) {
	s.conn.Bind(ctx)
	s.trace, s.heard, s.body = s.conn.Trace(), false, false
}

// Unbind makes s obey no context.
func (s *session) Unbind() { s.conn.Unbind() }

// Quiet reports whether the server has sent no bytes since its answer.
func (s *session) Quiet() bool { return s.conn.Quiet() }

// Ping returns true: the protocol has no request without a document.
func (s *session) Ping() bool { return true }

// InStep reports whether each answer matched its request.
func (s *session) InStep() bool { return !s.broken }

// Quit does nothing: a client closes the connection without a message.
func (s *session) Quit() {}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalAddr returns the address of this end.
func (s *session) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }

// begin negotiates the message size. It sends no user name, unlike the clients of that time.
func (s *session) begin() error {
	s.trace.Sent(fmt.Sprintf("Init: messages of up to %d bytes", messageSize))
	body, err := s.ask(&apdu.Init{
		Options: apdu.OptionSearch, PreferredMessageSize: messageSize, MaximumRecordSize: messageSize,
		ImplementationID: "fetch", ImplementationName: "fetch", ImplementationVersion: "1",
	})
	if errors.Is(err, errEmpty) {
		s.trace.Note("the server does without Init")
		return nil
	}
	if err != nil {
		return err
	}
	m, err := apdu.ParseInitResponse(body)
	if err != nil {
		return s.nonsense(err)
	}
	s.trace.Got(fmt.Sprintf("InitResponse: accepted %v, messages of up to %d bytes, %s %s %s",
		m.Accepted, m.MaximumRecordSize, m.ImplementationID, m.ImplementationName, m.ImplementationVersion))
	if !m.Accepted {
		return &fetchers.StatusError{Reply: fetchers.Reply{Text: "the server rejects the session"}, Class: fs.ErrPermission}
	}
	if n := m.MaximumRecordSize; n > 0 && n < messageSize {
		s.size = int(n)
	}
	return nil
}

// ask sends an APDU and returns the answer, which is valid until the next call.
func (s *session) ask(m interface{ Append(b []byte) []byte }) ([]byte, error) {
	if n, _ := s.conn.Pending(make([]byte, 1)); n > 0 { // they would count as the answer to m
		return nil, s.nonsense(errors.New("an answer without a request"))
	}
	if _, err := s.conn.Write(apdu.Plain.Append(nil, m.Append(nil))); err != nil {
		s.broken = true
		return nil, err
	}
	s.conn.AwaitList()
	if s.body {
		s.conn.Flow()
	}
	h, body, err := apdu.Read(s.conn, s.buf, s.size+excess)
	switch {
	case err == io.EOF:
		s.broken = true
		return nil, errHungUp
	case errors.Is(err, apdu.ErrMalformed):
		return nil, s.nonsense(err)
	case err != nil:
		s.broken = true
		return nil, err
	}
	s.buf, s.heard = body, true
	switch {
	case h.Type != 'z' && h.Type != 'Z':
		return nil, s.nonsense(fmt.Errorf("a message of type %q", h.Type))
	case h.Compression != ' ' || h.Encoding != ' ':
		return nil, s.nonsense(fmt.Errorf("a message in an encoding, %q%q, that was not requested", h.Compression, h.Encoding))
	case len(body) == 0:
		s.trace.Got("an answer without a body")
		return nil, errEmpty
	}
	return body, nil
}

// search sends a Search and returns its answer.
func (s *session) search(m *apdu.Search) (*apdu.Response, error) {
	body, err := s.ask(m)
	if err != nil {
		return nil, err
	}
	r, err := apdu.ParseResponse(body)
	if err != nil {
		return nil, s.nonsense(err)
	}
	s.trace.Got(summary(r))
	return r, nil
}

// summary describes r in one line.
func summary(r *apdu.Response) string {
	text := fmt.Sprintf("SearchResponse: %d hits", len(r.Hits))
	if len(r.Texts) > 0 {
		text = fmt.Sprintf("SearchResponse: %d bytes of text", len(r.Texts[0].Data))
	}
	for _, d := range r.Diagnostics {
		text += ", diagnostic " + d.Code + " " + d.Text
	}
	return text
}

// nonsense marks s as out of step, and returns err as an ErrProtocol.
func (s *session) nonsense(err error) error {
	s.broken = true
	return fmt.Errorf("%w: %w", fetchers.ErrProtocol, err)
}
