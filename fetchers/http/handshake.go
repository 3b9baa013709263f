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

// NTLM logs in a connection, by two requests in a row on it (MS-NTHT, section 3.1.5.1). From
// then on its requests need no login. So such a connection is for one account only: the pool has
// it under that.

// maxRefusal is how much of the page of a refusal is read so that its connection can go on.
const maxRefusal = 1 << 20

// handshake returns the login of a connection, or nil if l is none of a connection.
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

// handshakes returns the logins for the connection of x: that for the proxy, if that reads the
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

// accounts returns for whom the connection of x is, by its logins: "" without one. It has
// secrets. Servers keep a login by Negotiate for the connection too, and the caller may have
// made the field.
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

// speak sends x by a session and returns the answer. A new connection is logged in with that.
func (x *exchange) speak(l *lease) (*nethttp.Response, error) {
	signed := x.sent
	if !l.Kept() {
		logins := x.handshakes()
		for i, login := range logins {
			resp, err := x.shake(l.Session, login, signed)
			if resp != nil && !resp.Close && i+1 < len(logins) && resp.StatusCode == logins[i+1].at.status {
				x.sent, resp, err = signed, nil, l.Session.finish(resp) // the proxy wants no login, and the server does
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

// shake sends x with the first message of a login, and makes x, which is signed without one, carry
// the second. It returns the answer if that is no challenge that can be answered.
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

// finish reads a refusal to its end, after which the login goes on by another request.
func (s *session) finish(resp *nethttp.Response) error {
	told(resp)
	if err := s.skip(resp.Body); err != nil {
		return err
	}
	if s.ahead() {
		return fmt.Errorf("%w: more comes behind the challenge of NTLM", fetchers.ErrProtocol)
	}
	return nil
}

// signedWith returns r with a field for a login.
func signedWith(r *nethttp.Request, at *side, field string) *nethttp.Request {
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Set(at.answer, field)
	return r
}

// skip reads a page to its end, as an answer that has to come in time.
func (s *session) skip(page io.Reader) error {
	s.conn.Await()
	defer s.conn.Flow()
	n, err := io.CopyN(io.Discard, page, maxRefusal)
	chunks, _ := page.(*chunked)
	switch {
	case err == io.EOF && (!s.InStep() || chunks != nil && chunks.odd):
		return fmt.Errorf("%w: the page of a refusal has another end for other readers", fetchers.ErrProtocol)
	case err == io.EOF:
		return nil
	case err == nil:
		return fmt.Errorf("the page of a refusal has more than %d bytes", n)
	}
	return s.heard.broken(err)
}

// ahead reports whether more has come than was asked for. In TLS that may be a message of TLS
// itself.
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

// leaveRefused has the connection end with resp, if that refuses its login, or says that the
// request should come by another connection.
func (x *exchange) leaveRefused(resp *nethttp.Response) {
	if x.refuses(resp) || isMisdirected(resp) {
		resp.Close = true
	}
}
