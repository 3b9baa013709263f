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

// A key identifies the fetches that may use the same connection.
type key struct {
	addr           string
	secure         bool // ftps
	user, password string
	named          fetchers.Namer // Namer of the server: only ByUser presents a client certificate
}

func keyOf(req *fetchers.Request, who *fetchers.Credential) key {
	u := req.URL
	return key{addr: u.Addr(), secure: u.Scheme == "ftps", user: who.User, password: who.Password, named: req.Named}
}

// A lease is the use of a session in a known state: logged in, all replies read, TYPE and directory
// known.
type lease = transport.Lease[key, *session]

// CloseIdle closes the kept connections.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// Bind makes s obey ctx in place of an earlier context. Flights of an earlier errand are dropped.
func (s *session) Bind(ctx context.Context) {
	s.ctx = ctx
	s.ctl.Bind(ctx)
	s.ctl.trace = s.ctl.Trace()
	s.ctl.forget()
}

// Unbind detaches s from its context.
func (s *session) Unbind() {
	s.ctx = context.Background()
	s.ctl.Unbind()
	s.ctl.trace = s.ctl.Trace()
}

// Quiet reports whether the server has sent nothing since its last reply.
func (s *session) Quiet() bool { return s.ctl.Quiet() }

// Ping sends NOOP.
func (s *session) Ping() bool {
	r, err := s.ctl.ask("NOOP")
	return err == nil && r.Code/100 == 2
}

// InStep reports whether all replies were read, the server has sent nothing else, and the state of
// s is known.
func (s *session) InStep() bool { return !s.lost && s.ctl.inStep() }

// Quit sends QUIT, and does not wait for the reply.
func (s *session) Quit() { s.ctl.send("QUIT") }

// Close closes the control connection, whatever its state.
func (s *session) Close() error {
	if s.ctl == nil {
		return nil
	}
	return s.ctl.Close()
}

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.ctl.RemoteAddr() }

// LocalAddr returns the local address.
func (s *session) LocalAddr() net.Addr { return s.ctl.LocalAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.ctl.TLS() }

// judge returns the verdict on a session after a failure. A session whose server only refused is
// kept. If the session was kept before, a late reply may have been taken for the refusal, so that
// the other replies must fit, too.
func judge(l *lease, err error) transport.Verdict {
	s := l.Session
	refused := s.refused() && !errors.Is(classOf(s.ctl.last), fetchers.ErrTemporary) || errors.Is(err, fetchers.ErrTooLarge)
	if l.Kept() && (s.doubtful(err) || !s.settles()) {
		if s.tooEarly() { // the age of the session may explain the other habits
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

// known reports whether no CWD or TYPE was sent together with the refused command; it could have
// changed the state of s.
func (s *session) known() bool {
	changes := func(x *exchange) bool { return x.verb == "CWD" || x.verb == "TYPE" }
	return !slices.ContainsFunc(s.ctl.queue, changes)
}

// settles reads the replies to the commands that were sent with the refused one, and reports
// whether they fit. It waits for all of them, up to the limit between, because a reply does not
// name its command. If a server omits a reply in the flight TYPE, CWD, SIZE, the 200 or 250 for CWD
// is taken for that of TYPE, and the 550 for SIZE for a refusal of CWD. Only the last reply, which
// is then missing, reveals this.
func (s *session) settles() bool { return s.ctl.settle() == nil && s.ctl.stray() == nil }

// doubtful reports whether a failure may be due to the age of s: the server has closed it, or does
// not answer its commands.
func (s *session) doubtful(err error) bool {
	return s.lost || !s.alive() || s.tooEarly() || errors.Is(err, fetchers.ErrProtocol)
}

// way returns how many commands s needs to change to dirs, and whether it can.
func (s *session) way(dirs []string) (steps int, ok bool) {
	if under(dirs, s.at) {
		return len(dirs) - len(s.at), true
	}
	return 1 + len(dirs), s.home != ""
}

// travel changes to dirs. Only the server knows the way back from the target of a CWD (RFC 1738,
// section 3.2.5). Therefore travel requests the path of the login directory before it leaves it,
// unless this may be the only fetch.
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

// asksHome reports whether the way from at to dirs leaves the login directory, and its path is
// needed for the way back.
func (s *session) asksHome(at, dirs []string) bool {
	return len(at) == 0 && len(dirs) > 0 && s.regular && s.home == "" && !s.f.NoReuse
}

// findHome requests the path of the working directory. A path that cannot be sent in a command is
// ignored.
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

// quoted returns the directory in the text of a 257, in which quotes are doubled (RFC 959, appendix
// II).
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
