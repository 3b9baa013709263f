package ftp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	maxIdle = 4                // connections kept for one login; servers limit them too
	maxAge  = time.Minute      // how long one is kept; servers wait for five and more
	trusted = time.Second      // how long one is believed to be there still
	probe   = 10 * time.Second // how long it may take to say so
)

// A key says for whom a connection may be used again.
type key struct {
	addr           string
	secure         bool // ftps
	user, password string
}

func keyOf(u *url.URL, who *fetchers.Credential) key {
	return key{addr: u.Addr(), secure: u.Scheme == "ftps", user: who.User, password: who.Password}
}

// A pool holds the control connections that wait for another fetch. Each is in a
// known state: logged in, in step with its replies, with its TYPE and directory
// known. The zero pool is empty.
type pool struct {
	mu   sync.Mutex
	idle map[key][]*session // in the order in which they were put
	open map[key]int        // how many there are, idle or not
}

// opened counts a new session, and reports whether there are others.
func (p *pool) opened(k key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.idle, p.open = make(map[key][]*session), make(map[key]int)
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

// put keeps s for another fetch, at the expense of the one kept longest.
func (p *pool) put(s *session) {
	p.mu.Lock()
	s.since = time.Now()
	s.expiry = time.AfterFunc(maxAge, func() {
		if p.remove(s) {
			s.quit()
		}
	})
	var oldest *session
	p.idle[s.key] = append(p.idle[s.key], s)
	if len(p.idle[s.key]) > maxIdle {
		oldest = p.take(s.key, 0)
	}
	p.mu.Unlock()
	if oldest != nil {
		oldest.drop()
	}
}

// remove takes s out, and reports whether it was there.
func (p *pool) remove(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle[s.key], s)
	if i >= 0 {
		p.take(s.key, i)
	}
	return i >= 0
}

// get takes out the session for k that has the shortest way to dirs, and of
// several the one used last. It returns nil if none can get there.
func (p *pool) get(k key, dirs []string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[k]
	best, steps := -1, 0
	for i, s := range slices.Backward(list) {
		if n, ok := s.way(dirs); ok && (best < 0 || n < steps) {
			best, steps = i, n
		}
	}
	if best < 0 {
		return nil
	}
	return p.take(k, best)
}

// take takes out the i-th session for k. The caller holds the lock.
func (p *pool) take(k key, i int) *session {
	s := p.idle[k][i]
	s.expiry.Stop()
	if p.idle[k] = slices.Delete(p.idle[k], i, i+1); len(p.idle[k]) == 0 {
		delete(p.idle, k)
	}
	return s
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() {
	p := &f.pool
	p.mu.Lock()
	var all []*session
	for _, list := range p.idle {
		all = append(all, list...)
	}
	clear(p.idle)
	p.mu.Unlock()
	for _, s := range all {
		s.expiry.Stop()
		s.quit()
	}
}

// kept returns a kept session for req that the server still has, or nil.
func (f *Fetcher) kept(ctx context.Context, req *fetchers.Request, dirs []string) *session {
	who, _ := f.credential(req)
	for ctx.Err() == nil {
		s := f.pool.get(keyOf(req.URL, who), dirs)
		if s == nil {
			return nil
		}
		s.regular = true
		if s.wake(ctx) {
			return s
		}
		s.drop()
	}
	return nil
}

// wake gives s to ctx, and asks a server that may have gone meanwhile.
func (s *session) wake(ctx context.Context) bool {
	if time.Since(s.since) < trusted {
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
	s.f.pool.put(s)
}

// fail ends an exchange that failed: s is kept if the server merely said no.
func (s *session) fail() {
	if s.refused() && classOf(s.ctl.last) != fetchers.ErrTemporary {
		s.release()
		return
	}
	s.drop()
}

// doubtful reports whether a failure may be due to s having been kept: the
// server has closed it, or does not answer what it is asked.
func (s *session) doubtful(err error) bool {
	return s.lost || !s.alive() || s.ctl.last.Code == 421 || errors.Is(err, fetchers.ErrProtocol)
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
	if len(s.at) == 0 && len(dirs) > 0 && s.regular && s.home == "" && !s.f.NoReuse {
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
