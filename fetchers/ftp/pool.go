package ftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

const (
	trusted = time.Second      // how long a kept connection is believed to be there still
	probe   = 10 * time.Second // how long it may take to say so
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

// A pool holds the control connections that wait for another fetch, and counts all
// there are. Each is in a known state: logged in, in step with its replies, with its
// TYPE and directory known. The zero pool is empty.
type pool struct {
	idle    wire.Idle[key, *session]
	trust   time.Duration // replaces trusted unless it is 0
	between time.Duration // replaces between unless it is 0

	mu     sync.Mutex
	open   map[key]int      // how many there are, idle or not
	habits map[string]habit // of servers, by address
}

// opened counts a new session, and reports whether there are others.
func (p *pool) opened(k key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = make(map[key]int)
	}
	p.open[k]++
	return p.open[k] > 1
}

// closed counts a session out.
func (p *pool) closed(k key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[k]--; p.open[k] == 0 {
		delete(p.open, k)
	}
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.pool.idle.Close() }

// kept returns a kept session for e that the server still has, and of several the
// one with the shortest way to its directory, or nil.
func (f *Fetcher) kept(ctx context.Context, e errand) *session {
	who, _ := f.credential(e.req)
	for ctx.Err() == nil {
		s, since, ok := f.pool.idle.Take(keyOf(e.req, who), func(s *session) (int, bool) { return s.way(e.dirs) })
		if !ok {
			return nil
		}
		s.regular = true
		if s.wake(ctx, since) {
			s.ctl.trace.Reuse(s.ctl.RemoteAddr().String())
			return s
		}
		s.drop()
	}
	return nil
}

// wake gives s to ctx, and asks a server that may have gone since then. What it has said
// meanwhile would be taken for the answer to what comes next.
func (s *session) wake(ctx context.Context, since time.Time) bool {
	if !s.ctl.raw.Quiet() {
		return false
	}
	if time.Since(since) < cmp.Or(s.f.pool.trust, trusted) {
		s.bind(ctx)
		return true
	}
	limited, cancel := context.WithTimeout(ctx, probe)
	defer cancel()
	s.bind(limited)
	r, err := s.ctl.ask("NOOP")
	s.bind(ctx) // before the end of limited can close s
	return err == nil && r.Code/100 == 2
}

// release ends an exchange that went well: s is kept if it may be.
func (s *session) release() {
	ctx := s.ctx
	s.bind(context.Background()) // so that ctx can end without closing s
	if s.f.NoReuse || ctx.Err() != nil || s.lost || !s.ctl.inStep() {
		s.quit()
		return
	}
	s.ctl.forget()
	s.f.pool.idle.Put(s.key, s, s.quit)
}

// fail ends an exchange that failed: s is kept if the server merely said no.
func (s *session) fail() {
	if s.refused() && classOf(s.ctl.last) != fetchers.ErrTemporary && s.settles() {
		s.release()
		return
	}
	s.drop()
}

// settles reads the replies to the commands that were sent with the one that was refused.
// A CWD or a TYPE among them may have changed what the session knows, which it reports as
// false. Otherwise all replies are waited for, up to the limit between, because a reply does
// not name its command. If a server leaves one out of the flight TYPE, CWD, SIZE, the 200 or
// 250 to CWD passes for that to TYPE, and the 550 to SIZE for a refusal of CWD. Both cases
// begin alike, and only the last reply, which then does not come, tells them apart.
func (s *session) settles() bool {
	changes := func(x *exchange) bool { return x.verb == "CWD" || x.verb == "TYPE" }
	return !slices.ContainsFunc(s.ctl.queue, changes) && s.ctl.settle() == nil
}

// doubtful reports whether a failure may be due to s having been kept: the
// server has closed it, or does not answer what it is asked.
func (s *session) doubtful(err error) bool {
	return s.lost || !s.alive() || s.ctl.last.Code == 421 || s.tooEarly() || errors.Is(err, fetchers.ErrProtocol)
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
		if err := s.changeDir(s.home); err != nil {
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
