package main

import (
	"cmp"
	"context"
	"net/textproto"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// inherited are flags whose values hold for an origin, too, beside those that may have
// one of its own.
const inherited = "public-only proto any-port resolve connect-to interface max-hits like connect"

// A member is what becomes of a section: the program as it would be with its values for
// flags, of which the Fetcher is used.
type member struct {
	main, own *app
	header    textproto.MIMEHeader // what is added to requests
	user      *setting
	certified bool // the section itself has the certificate

	shown sync.Once

	mu      sync.Mutex
	fetcher fetchers.Fetcher // nil before its first use
}

// prepare reads the values.
func (s *originSection) prepare(a *app, c *cobra.Command) error {
	own := &app{
		stdin: a.stdin, stdout: a.stdout, stderr: a.stderr, files: a.files, input: a.input,
		given: make(map[string]bool),
	}
	s.main, s.own = a, own
	command := own.command()
	if c.HasParent() {
		command, _, _ = command.Find([]string{c.Name()})
	}
	flags := command.Flags()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		known := has(ofOrigins, f.Name) || has(inherited, f.Name)
		if !known || !f.Changed && a.config.from[f.Name] == "" {
			return
		}
		own.given[f.Name] = true
		to := flags.Lookup(f.Name).Value
		if list, ok := f.Value.(pflag.SliceValue); ok {
			to.(pflag.SliceValue).Replace(list.GetSlice())
		} else {
			to.Set(f.Value.String()) // which is a value of that flag already
		}
	})
	for i, set := range s.settings {
		f := c.Flags().Lookup(set.key)
		if f == nil || f.Changed && set.key != "header" {
			continue // the command line goes before
		}
		if set.key == "user" {
			s.user = &s.settings[i]
		}
		s.certified = s.certified || set.key == "cert"
		if err := set.set(flags.Lookup(set.key)); err != nil {
			return err
		}
		own.given[set.key] = true
	}
	var err error
	s.header, err = s.fields()
	return err
}

// fields returns the header fields of the section, but for those of the command line.
func (s *originSection) fields() (textproto.MIMEHeader, error) {
	var ask askFlags
	cookie := ""
	for _, set := range s.settings {
		switch {
		case set.key != "header" && s.main.given[set.key]:
		case set.key == "header":
			ask.headers = set.values
		case set.key == "user-agent":
			ask.userAgent = set.values[0]
		case set.key == "referer":
			ask.referer = set.values[0]
		case set.key == "cookie":
			cookie = set.values[0]
		}
	}
	h, err := ask.header()
	if err != nil {
		return nil, err
	}
	if cookie != "" {
		h.Set("Cookie", cookie)
	}
	if s.main.given["header"] {
		typed, _ := s.main.ask.header()
		for name := range typed {
			h.Del(name)
		}
	}
	return h, nil
}

// open makes the Fetcher at its first use.
func (m *member) open(ctx context.Context) (fetchers.Fetcher, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fetcher != nil {
		return m.fetcher, nil
	}
	own := m.own
	own.wire.name = m.main.wire.name
	own.web.cookies = "" // they are among the fields
	nw, err := own.route.network()
	if err != nil {
		return nil, err
	}
	config, err := own.tls.config(ctx)
	if err != nil {
		return nil, err
	}
	fetcher, err := own.proxy.fetcher(ctx, own, nw, config)
	if err != nil {
		return nil, err
	}
	own.web.client.Jar, own.web.client.HSTS = m.main.web.client.Jar, m.main.web.client.HSTS
	m.fetcher = fetcher
	return fetcher, nil
}

// ask returns req with the additions of the section. If a stranger has named its URL,
// none is a secret. A redirection gets the certificate of the section, but no other.
func (s *originSection) ask(ctx context.Context, req *fetchers.Request) *fetchers.Request {
	next := *req
	if req.Named == fetchers.ByStranger {
		return &next
	}
	if s.certified {
		next.Named = fetchers.ByUser
	}
	if len(s.header) > 0 {
		next.Header = textproto.MIMEHeader{}
		for _, from := range []textproto.MIMEHeader{req.Header, s.header} {
			for name, values := range from {
				next.Header[name] = slices.Clone(values)
			}
		}
	}
	if s.user == nil || req.Login != nil {
		return &next
	}
	name, password, set := strings.Cut(s.user.values[0], ":")
	who := cmp.Or(req.URL.User, &url.Userinfo{Name: name})
	switch {
	case who.Name != name || who.PasswordSet: // the URL means somebody else
	case set:
		next.Login = &fetchers.Credential{User: name, Password: password, Source: s.user.where}
		fetchers.ContextTrace(ctx).Login(fetchers.OriginOf(req.URL), s.user.where)
	default:
		u := *req.URL
		u.User = who
		next.URL = &u
	}
	return &next
}

// Fetch fetches req from the origin of the section.
func (s *originSection) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	fetcher, err := s.open(ctx)
	if err != nil {
		return nil, fetchers.NewError("connect", req.URL, err)
	}
	s.shown.Do(func() {
		for _, set := range s.settings {
			if set.key != "user" {
				fetchers.ContextTrace(ctx).Note(set.shown() + " from " + set.where)
			}
		}
	})
	return fetcher.Fetch(ctx, s.ask(ctx, req))
}

// An originator fetches from an origin by its section, if it has one.
type originator struct {
	fetchers.Fetcher
	origins map[string]*originSection
}

func (o *originator) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if req.URL != nil {
		if s := o.origins[originOf(req.URL)]; s != nil {
			return s.Fetch(ctx, req)
		}
	}
	return o.Fetcher.Fetch(ctx, req)
}

func (o *originator) CloseIdle() {
	list := []fetchers.Fetcher{o.Fetcher}
	for _, s := range o.origins {
		s.mu.Lock()
		list = append(list, s.fetcher)
		s.mu.Unlock()
	}
	for _, f := range list {
		if c, ok := f.(fetchers.IdleCloser); ok {
			c.CloseIdle()
		}
	}
}
