// Package redis fetches the values of a Redis server, as a protocol of another module would:
// it is made of package transport, as the protocols of fetch are.
//
//	redis://joe:secret@127.0.0.1:6379/user%2F7
//
// names the value of the key "user/7"; rediss is the same over TLS. On the wire (RESP 2):
//
//	C: *3\r\n$4\r\nAUTH\r\n$3\r\njoe\r\n$6\r\nsecret\r\n
//	S: +OK\r\n
//	C: *2\r\n$3\r\nGET\r\n$6\r\nuser/7\r\n
//	S: $5\r\nhello\r\n
//
// Each argument has its length before it, so that no octet of a URL can be a command. The
// connection is kept for the next fetch by the same user.
package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches redis and rediss URLs. Its zero value is ready to use. Its fields must
// not change in use.
type Fetcher struct {
	Network *fetchers.Network // how servers are reached; nil means directly
	TLS     *tls.Config       // settings for rediss; nil means the usual ones

	pool transport.Pool[key, *session]
}

// A key identifies the requests that may use a session again.
type key struct {
	addr           string
	secure, given  bool
	user, password string
	named          fetchers.Namer
}

type (
	lease  = transport.Lease[key, *session]
	errand = transport.Errand[key, *session]
)

// Fetch gets the value of the key that the URL names. Its size is known, and io.EOF means that the
// value is whole.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	u := *req.URL
	if u.Port == 0 {
		u.Port = 6379
	}
	name := url.Unescape(strings.TrimPrefix(u.Path, "/"))
	if u.Host == "" || name == "" {
		return nil, fetchers.NewError("parse", req.URL, &url.Error{Pos: -1, Reason: "no host, or no key"})
	}
	k := key{addr: u.Addr(), secure: u.Scheme == "rediss", named: req.Named}
	if who, _ := req.Credential(); who != nil {
		k.user, k.password, k.given = who.User, who.Password, true
	}
	return f.pool.Fetch(ctx, &errand{
		Request: req,
		Key:     k,
		Terms:   transport.Terms{Network: f.Network, Host: k.addr},
		Open:    func(ctx context.Context) (*session, error) { return f.open(ctx, k, u.Host) },
		Talk:    func(l *lease) (*fetchers.Resource, error) { return get(l, req, name) },
		Judge:   judge,
		Crowded: func(err error) bool { return strings.Contains(err.Error(), "max number of clients") },
	})
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// get requests a value.
func get(l *lease, req *fetchers.Request, name string) (*fetchers.Resource, error) {
	s := l.Session
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: fetchers.TypeByName(name)}
	if req.Describe {
		there, err := s.number("EXISTS", name)
		if err == nil && there == 0 {
			err = fmt.Errorf("%w: no such key", fs.ErrNotExist)
		}
		if err == nil {
			res.Size, err = s.number("STRLEN", name)
		}
		if err != nil {
			return nil, err
		}
		l.Done()
		res.SetBody(nil)
		return res, nil
	}
	size, err := s.bulk("GET", name)
	if err != nil {
		return nil, err
	}
	res.Size = size
	s.conn.Flow() // the header has come, and the value may take its time
	res.SetBody(&value{lease: l, left: size})
	return res, nil
}

// judge returns the verdict on a session after a failure.
func judge(l *lease, _ error) transport.Verdict {
	if l.Session.broken {
		return transport.Stale
	}
	return transport.Refused
}
