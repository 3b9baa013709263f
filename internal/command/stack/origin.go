package stack

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// An originator fetches from an origin by the member of its section, and from any other by usual.
type originator struct {
	usual   fetchers.Fetcher
	origins origins
}

// Fetch fetches req.
func (o *originator) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if req.URL != nil {
		if m := o.origins.of(req.URL); m != nil {
			return m.Fetch(ctx, req)
		}
	}
	return o.usual.Fetch(ctx, req)
}

// CloseIdle closes the idle connections of all origins.
func (o *originator) CloseIdle() {
	closeIdle(o.usual)
	for _, m := range o.origins {
		m.mu.Lock()
		if m.protocols != nil {
			closeIdle(m.protocols.fetcher)
		}
		m.mu.Unlock()
	}
}

func closeIdle(f fetchers.Fetcher) {
	if c, ok := f.(fetchers.IdleCloser); ok {
		c.CloseIdle()
	}
}

// origins are the members by their option.OriginKey.
type origins map[string]*member

func newOrigins(all map[string]*option.Section, s *shared) origins {
	members := make(origins)
	for origin, section := range all {
		members[origin] = &member{section: section, shared: s}
	}
	return members
}

// of returns the member for the origin of u, or nil.
func (o origins) of(u *url.URL) *member { return o[option.OriginKey(u)] }

// A member fetches from one origin, with the protocols that a run with the values of the
// section would have. Cookies and the list of hosts are those of the run.
type member struct {
	section *option.Section
	shared  *shared

	told sync.Once // the values in use are reported once

	mu        sync.Mutex
	protocols *protocols // nil before its first use
}

// open makes the protocols at their first use: the files of a section are read only for a request
// to its origin.
func (m *member) open(ctx context.Context) (*protocols, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.protocols != nil {
		return m.protocols, nil
	}
	own := m.section.Options
	route, err := newRoute(ctx, own, m.section.Sets)
	if err != nil {
		return nil, err
	}
	m.protocols = newProtocols(route, own, m.shared)
	return m.protocols, nil
}

// Fetch fetches req from the origin.
func (m *member) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	p, err := m.open(ctx)
	if err != nil {
		return nil, fetchers.NewError("connect", req.URL, err)
	}
	m.told.Do(func() {
		for _, set := range m.section.Settings {
			if set.Key != "user" {
				fetchers.ContextTrace(ctx).Note(set.Shown() + " from " + set.Where)
			}
		}
	})
	return p.fetcher.Fetch(ctx, m.with(ctx, req))
}

// with returns req with the additions of the section. If a stranger has named its URL, no secret is
// added. A redirection gets the certificate of the section, but no other secret of it.
func (m *member) with(ctx context.Context, req *fetchers.Request) *fetchers.Request {
	next := *req
	if req.Named == fetchers.ByStranger {
		return &next
	}
	if m.section.Certified {
		next.Named = fetchers.ByUser
	}
	if len(m.section.Fields) > 0 {
		next.Header = merged(req.Header, m.section.Fields)
	}
	if m.section.User != nil && req.Login == nil {
		m.login(ctx, &next)
	}
	return &next
}

// login gives req the login of the section, unless its URL names another user or has a
// password.
func (m *member) login(ctx context.Context, req *fetchers.Request) {
	set := m.section.User
	name, password, whole := strings.Cut(set.Values[0], ":")
	who := cmp.Or(req.URL.User, &url.Userinfo{Name: name})
	switch {
	case who.Name != name || who.PasswordSet:
	case whole:
		req.Login = &fetchers.Credential{User: name, Password: password, Source: set.Where}
		fetchers.ContextTrace(ctx).Login(fetchers.OriginOf(req.URL), set.Where)
	default:
		req.URL = withUser(req.URL, who)
	}
}
