package http

import (
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
)

// NTLM logs in a connection, by two successive requests on it (MS-NTHT, section 3.1.5.1). Later
// requests on the connection need no login. Therefore the pool keeps such a connection for one
// account only.

// maxRefusal is the largest body of a 401 or 407 that is read to keep its connection.
const maxRefusal = 1 << 20

// handshake returns the NTLM handshake of l, or nil if l uses another scheme.
func (l *login) handshake() *httpauth.Handshake {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.scheme != (httpauth.NTLM{}) {
		return nil
	}
	return &httpauth.Handshake{Messages: l.messages, User: l.User, Password: l.password}
}

// handshakes returns the logins for the connection of x: that for the proxy, if the proxy reads the
// request, and that for the server.
func (x *exchange) handshakes() (all []*login) {
	if x.hop != nil && x.request.URL.Scheme != "https" && x.hop.login.handshake() != nil {
		all = append(all, x.hop.login)
	}
	if x.login.handshake() != nil {
		all = append(all, x.login)
	}
	return all
}

// accounts returns a key for the accounts that the connection of x is logged in as, or "". The key
// contains secrets. A caller's own field with Negotiate counts too, since servers apply it to the
// connection.
func (x *exchange) accounts() (all string) {
	for _, at := range []*side{atServer, atProxy} {
		field := x.request.Header.Get(at.answer)
		switch scheme, _, _ := strings.Cut(field, " "); strings.ToLower(scheme) {
		case "negotiate", "ntlm":
			all += fmt.Sprintf("%s %q ", at.name, field)
		}
	}
	for _, l := range x.handshakes() {
		all += fmt.Sprintf("%s %s %q %s %q %q ", l.at.name, l.Scheme, l.Host, l.Port, l.User, l.password)
	}
	return all
}

// sendOver sends x over a session and returns the response. On a new connection it performs the NTLM
// logins first.
func (x *exchange) sendOver(l *lease) (*nethttp.Response, error) {
	signed := x.sent
	if !l.Kept() {
		logins := x.handshakes()
		for i, login := range logins {
			resp, err := x.shake(l.Session, login, signed)
			if resp != nil && !resp.Close && i+1 < len(logins) && resp.StatusCode == logins[i+1].at.status {
				x.sent, resp, err = signed, nil, l.Session.finish(resp) // the proxy demands no login, and the server does
			}
			if resp != nil || err != nil {
				return resp, err
			}
		}
	}
	x.begin(x.version())
	resp, err := l.Session.ask(x)
	x.leaveRefused(resp)
	return resp, err
}

// shake sends x with the first message of a login, and then sets in x, which is signed without a
// login, the field with the final message. If the response is no challenge that can be answered,
// shake returns the response.
func (x *exchange) shake(s *session, l *login, signed *nethttp.Request) (*nethttp.Response, error) {
	h := l.handshake()
	field, err := h.Begin()
	if err != nil {
		return nil, err
	}
	x.sent = signedWith(x.sent, l.at, field)
	x.begin(x.version())
	resp, err := s.ask(x)
	if err != nil || resp.StatusCode != l.at.status {
		return resp, err
	}
	field, err = h.Answer(resp.Header.Values(l.at.challenge))
	if err == nil && resp.Close {
		err = errors.New("the connection ends before the login by NTLM is complete")
	}
	if err != nil {
		l.trace.Note("the " + l.at.name + " cannot be answered: " + err.Error())
		x.leaveRefused(resp)
		return resp, nil
	}
	if err := s.finish(resp); err != nil {
		return nil, err
	}
	x.sent = signedWith(signed, l.at, field)
	return nil, nil
}

// finish reads a refusal to its end, so that the next request can use the connection.
func (s *session) finish(resp *nethttp.Response) error {
	traceResponse(resp)
	if err := s.skip(resp.Body); err != nil {
		return err
	}
	if s.ahead() {
		return fmt.Errorf("%w: unexpected bytes after the challenge of NTLM", fetchers.ErrProtocol)
	}
	return nil
}

// signedWith returns a copy of r with a login field.
func signedWith(r *nethttp.Request, at *side, field string) *nethttp.Request {
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Set(at.answer, field)
	return r
}

// skip discards a body. The timeout is that of waiting for a response.
func (s *session) skip(page io.Reader) error {
	s.conn.Await()
	defer s.conn.Flow()
	n, err := io.CopyN(io.Discard, page, maxRefusal)
	chunks, _ := page.(*chunked)
	switch {
	case err == io.EOF && (!s.InStep() || chunks != nil && chunks.odd):
		return fmt.Errorf("%w: the end of the body of a refusal is ambiguous", fetchers.ErrProtocol)
	case err == io.EOF:
		return nil
	case err == nil:
		return fmt.Errorf("the body of a refusal has more than %d bytes", n)
	}
	return s.recorder.broken(err)
}

// ahead reports whether the server has sent more than the response. Under TLS, pending bytes may be
// a message of TLS itself.
func (s *session) ahead() bool {
	n, _ := s.conn.Pending(make([]byte, 1))
	return !s.InStep() || s.conn.TLS() == nil && n > 0
}

// refuses reports whether resp refuses a login of the connection of x.
func (x *exchange) refuses(resp *nethttp.Response) bool {
	for _, l := range x.handshakes() {
		if resp != nil && resp.StatusCode == l.at.status {
			return true
		}
	}
	return false
}

// leaveRefused marks the connection to be closed after resp, if resp refuses its login or requires
// another connection (421).
func (x *exchange) leaveRefused(resp *nethttp.Response) {
	if x.refuses(resp) || isMisdirected(resp) {
		resp.Close = true
	}
}
