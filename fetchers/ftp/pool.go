package ftp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A key says for whom a connection may be used again.
type key struct {
	addr           string
	secure         bool // ftps
	user, password string
	named          fetchers.Namer // who named the server: only one that the user named gets a certificate
}

func keyOf(req *fetchers.Request, who *fetchers.Credential) key {
	u := req.URL
	return key{addr: u.Addr(), secure: u.Scheme == "ftps", user: who.User, password: who.Password, named: req.Named}
}

// A lease is the use of a session that is in a known state: logged in, in step with its
// replies, with its TYPE and directory known.
type lease = transport.Lease[key, *session]

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// Bind makes s obey ctx in place of the context it obeyed before. Flights of an earlier errand
// are forgotten.
func (s *session) Bind(ctx context.Context) {
	s.ctx = ctx
	s.ctl.Bind(ctx)
	s.ctl.trace = s.ctl.Trace()
	s.ctl.forget()
}

// Unbind makes s obey no context.
func (s *session) Unbind() {
	s.ctx = context.Background()
	s.ctl.Unbind()
	s.ctl.trace = s.ctl.Trace()
}

// Quiet reports whether the server has said nothing since its last reply.
func (s *session) Quiet() bool { return s.ctl.Quiet() }

// Ping asks for nothing.
func (s *session) Ping() bool {
	r, err := s.ctl.ask("NOOP")
	return err == nil && r.Code/100 == 2
}

// InStep reports whether the server owes no reply and has sent nothing else, and the state of s
// is known.
func (s *session) InStep() bool { return !s.lost && s.ctl.inStep() }

// Quit takes leave; the answer is not waited for.
func (s *session) Quit() { s.ctl.send("QUIT") }

// Close closes the control connection, in whatever state it is.
func (s *session) Close() error {
	if s.ctl == nil {
		return nil
	}
	return s.ctl.Close()
}

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.ctl.RemoteAddr() }

// LocalAddr returns the address of this end.
func (s *session) LocalAddr() net.Addr { return s.ctl.LocalAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.ctl.TLS() }

// judge returns the verdict on a session after a failure. It is kept if the server merely said
// no. If the session was kept before, a reply that came late may have passed for the refusal, so the
// other replies have to fit, too.
func judge(l *lease, err error) transport.Verdict {
	s := l.Session
	refused := s.refused() && !errors.Is(classOf(s.ctl.last), fetchers.ErrTemporary) || errors.Is(err, fetchers.ErrTooLarge)
	if l.Kept() && (s.doubtful(err) || !s.settles()) {
		if s.tooEarly() { // for the rest, that it was kept may be the reason
			s.learns()
		}
		return transport.Stale
	}
	verdict := transport.Broken
	if refused && s.known() && s.settles() {
		verdict = transport.Refused
	}
	if !l.Kept() && s.learns() {
		return transport.Again
	}
	return verdict
}

// known reports whether no CWD or TYPE was sent with the command that was refused. It may have
// changed the state of s.
func (s *session) known() bool {
	changes := func(x *exchange) bool { return x.verb == "CWD" || x.verb == "TYPE" }
	return !slices.ContainsFunc(s.ctl.queue, changes)
}

// settles reads the replies to the commands that were sent with the one that was refused, and
// reports whether they fit. All are waited for, up to the limit between, because a reply does
// not name its command. If a server leaves one out of the flight TYPE, CWD, SIZE, the 200 or
// 250 to CWD passes for that to TYPE, and the 550 to SIZE for a refusal of CWD. Both cases
// begin alike, and only the last reply, which then does not come, tells them apart.
func (s *session) settles() bool { return s.ctl.settle() == nil && s.ctl.stray() == nil }

// doubtful reports whether a failure may be due to s having been kept: the
// server has closed it, or does not answer what it is asked.
func (s *session) doubtful(err error) bool {
	return s.lost || !s.alive() || s.tooEarly() || errors.Is(err, fetchers.ErrProtocol)
}

// way returns how many commands it takes to get to dirs, if s can.
func (s *session) way(dirs []string) (steps int, ok bool) {
	if under(dirs, s.at) {
		return len(dirs) - len(s.at), true
	}
	return 1 + len(dirs), s.home != ""
}

// travel goes to dirs. Nobody but the server knows how to get back from where a
// CWD has led (RFC 1738, section 3.2.5), so it is asked where the login
// directory is before that is left, unless this may be the only fetch.
func (s *session) travel(dirs []string) error {
	if !under(dirs, s.at) {
		if err := s.lib.changeDir(s.home); err != nil {
			s.lost = true
			return err
		}
		s.at = nil
	}
	if s.asksHome(s.at, dirs) {
		if err := s.findHome(); err != nil {
			return err
		}
	}
	for _, dir := range dirs[len(s.at):] {
		if err := s.cwd(dir); err != nil {
			return fmt.Errorf("directory %q: %w", dir, err)
		}
	}
	return nil
}

// asksHome reports whether the way from at to dirs leaves the login directory, and there
// is reason to know how to come back.
func (s *session) asksHome(at, dirs []string) bool {
	return len(at) == 0 && len(dirs) > 0 && s.regular && s.home == "" && !s.f.NoReuse
}

// findHome asks where s is. A directory that cannot be sent back is forgotten.
func (s *session) findHome() error {
	r, err := s.ctl.ask("PWD")
	if err != nil {
		return err
	}
	if dir, ok := quoted(r.Text); ok && r.Code/100 == 2 && !strings.ContainsFunc(dir, unsendable) {
		s.home = dir
	}
	return nil
}

func unsendable(r rune) bool { return r < ' ' || r == 0x7f }

// quoted returns the directory in the text of a 257, in which a quote is written
// twice (RFC 959, appendix II).
func quoted(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, `"`)
	dir := ""
	for ok {
		part, after, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", false
		}
		dir += part
		if rest, ok = strings.CutPrefix(after, `"`); ok {
			dir += `"`
		}
	}
	return dir, dir != ""
}

// under reports whether dirs begins with at.
func under(dirs, at []string) bool {
	return len(at) <= len(dirs) && slices.Equal(at, dirs[:len(at)])
}
