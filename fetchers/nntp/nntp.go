package nntp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Fetcher fetches news, snews, nntp and nntps URLs. Its zero value is ready to use. Its fields
// must not change while in use.
type Fetcher struct {
	// Network makes the connections to servers.
	Network *fetchers.Network

	// Server is the host or host:port for news and snews URLs without a host. If it is empty, such
	// a URL is ErrNotRetrievable.
	Server string

	// StartTLS decides whether the connections of news and nntp URLs use TLS.
	StartTLS TLSPolicy

	// TLS is the TLS configuration; nil means the defaults. It is not changed.
	TLS *tls.Config

	// NoReuse closes each connection after a single fetch. Otherwise some are kept for a while,
	// until CloseIdle, and used again for the same server and login.
	NoReuse bool

	pool pool
}

// Fetch fetches req over a connection, which may have been kept by an earlier fetch.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := f.targetOf(req.URL)
	if err != nil {
		return nil, err
	}
	return f.pool.Fetch(ctx, f.errand(ctx, req, what))
}

// converse fetches the resource. If the server demands a login by 480 or TLS by 483, it does that
// first and repeats the request (RFC 4643, section 2.2).
func (s *session) converse(req *fetchers.Request, what target) (*fetchers.Resource, error) {
	for {
		res, err := s.fetch(req, what)
		var refused *fetchers.StatusError
		switch {
		case !errors.As(err, &refused) || s.broken != nil:
			return res, err
		case refused.Code == 480 && !s.loggedIn && s.key.given:
			if err = s.login(); errors.As(err, &refused) && refused.Code == 483 && s.conn.TLS() == nil {
				err = s.startTLS()
			}
		case refused.Code == 483 && s.conn.TLS() == nil:
			err = s.startTLS()
		default:
			return res, err
		}
		if err != nil {
			return nil, err
		}
	}
}

// fetch is the conversation for each form of URL.
func (s *session) fetch(req *fetchers.Request, what target) (*fetchers.Resource, error) {
	switch {
	case what.MessageID != "":
		return s.article(req, "<"+what.MessageID+">")
	case what.Wildmat != "":
		return s.groups(req, what)
	}
	if what.First == 0 || what.First != what.Last || s.group != what.Group {
		if err := s.enter(what.Group); err != nil {
			return nil, err
		}
	}
	if what.First != 0 && what.First == what.Last {
		return s.article(req, fmt.Sprint(what.First))
	}
	return s.articles(req, what)
}

// enter selects a group (RFC 3977, section 6.1.1). If there is no such group, the fetch fails (RFC
// 1738, section 3.7).
func (s *session) enter(group string) error {
	r, err := s.ask("GROUP "+group, 211)
	if err != nil {
		return err
	}
	var count uint64
	if _, err := fmt.Sscanf(strings.TrimSpace(r.Text), "%d %d %d", &count, &s.low, &s.high); err != nil {
		return s.breaks(fmt.Errorf("%w: %d %.60q", fetchers.ErrProtocol, r.Code, r.Text))
	}
	if other := named(r.Text); other != "" && !strings.EqualFold(other, group) { // INN: "GROUP Test.Misc", "211 14 2 15 test.misc"
		return s.breaks(fmt.Errorf("%w: the group %s was requested, but the reply is %d %.300q", fetchers.ErrProtocol, group, r.Code, r.Text))
	}
	s.group, s.high = group, min(s.high, maxNumber)
	return nil
}

// named returns the group in the reply to GROUP: the fourth word after the code, unless that begins
// a comment, as in "211 103 402 504 group selected".
func named(reply string) string {
	words := strings.Fields(reply)
	if len(words) < 4 || len(words) > 4 && !strings.Contains(words[3], ".") {
		return ""
	}
	return words[3]
}
