package dict

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches dict URLs. The zero value is ready to use. Its fields must not change in use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	pool transport.Pool[key, *session]
}

// A key identifies the connections that a fetch may reuse.
type key struct {
	addr           string
	user, password string
	given          bool // there is a user
}

type lease = transport.Lease[key, *session]

// Fetch fetches req on a kept connection of an earlier fetch, or on a new one.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.Dict()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if _, err := lineOf(commandOf(what)); err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	k, err := keyOf(req, what)
	if err != nil {
		return nil, fetchers.NewError("login", req.URL, err)
	}
	return f.pool.Fetch(ctx, &transport.Errand[key, *session]{
		Request: req,
		Key:     k,
		Terms:   transport.Terms{Network: f.Network, Host: k.addr, Patience: f.Network.StallLimit()},
		Open:    func(ctx context.Context) (*session, error) { return f.open(ctx, k) },
		Talk: func(l *lease) (*fetchers.Resource, error) {
			l.Session.lease = l
			return l.Session.fetch(req, what)
		},
		Judge:   judge,
		Crowded: func(err error) bool { return errors.Is(err, fetchers.ErrBusy) },
	})
}

// CloseIdle closes the kept connections.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// keyOf returns the key of req. Its user logs in with AUTH.
func keyOf(req *fetchers.Request, what url.Dict) (key, error) {
	k := key{addr: req.URL.Addr()}
	who, set := req.Credential()
	if who == nil {
		return k, nil
	}
	k.given, k.user, k.password = true, who.User, who.Password
	switch {
	case what.Mechanism != "" && !strings.EqualFold(what.Mechanism, "AUTH"):
		return k, fmt.Errorf("%w: a login by %s", errors.ErrUnsupported, what.Mechanism)
	case !set:
		return k, fmt.Errorf("%w: AUTH needs the password of %s", fetchers.ErrLogin, k.user)
	}
	if _, err := lineOf([]string{"AUTH", k.user, strings.Repeat("0", 32)}); err != nil {
		return k, fmt.Errorf("%w: %w", fetchers.ErrLogin, err)
	}
	return k, nil
}

// judge returns the verdict on a session after a failure.
func judge(l *lease, err error) transport.Verdict {
	s := l.Session
	switch {
	case s.broken != nil: // the server has closed it, or does not answer a command
		return transport.Stale
	case s.InStep() && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported)):
		return transport.Refused
	}
	return transport.Broken
}

// commandOf returns the words of the command for a URL. For a URL without a word, that is the
// command for the description of its database or strategy.
func commandOf(d url.Dict) []string {
	switch {
	case d.Command == url.DictDatabases:
		return []string{"SHOW", "DB"}
	case d.Command == url.DictStrategies:
		return []string{"SHOW", "STRAT"}
	case d.Command == url.DictDefine && d.Word != "":
		return []string{"DEFINE", d.Database, d.Word}
	case d.Command == url.DictMatch && d.Word != "":
		return []string{"MATCH", d.Database, d.Strategy, d.Word}
	case d.Command == url.DictServer, d.Database == "!", d.Database == "*":
		return []string{"SHOW", "SERVER"}
	}
	return []string{"SHOW", "INFO", d.Database}
}

// fetch makes the exchanges for one form of URL.
func (s *session) fetch(req *fetchers.Request, what url.Dict) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: "text/plain; charset=utf-8", Size: -1}
	command := commandOf(what)
	switch {
	case command[0] == "DEFINE":
		return s.define(req, res, command, what.N)
	case command[0] == "MATCH":
		list(res, "text/dict-matches", what, matchOf)
	case what.Command == url.DictDatabases:
		list(res, "text/dict-databases", what, databaseOf)
	case what.Command == url.DictStrategies:
		list(res, "text/dict-strategies", what, strategyOf)
	case what.Command == url.DictDefine, what.Command == url.DictMatch:
		res.Kind = fetchers.Index
		res.Query = func(words string) *url.URL {
			asked := what
			asked.Word = words
			return asked.URL()
		}
	}
	return s.text(req, res, command, what.N)
}
