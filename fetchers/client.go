package fetchers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// A Client fetches with the manners every protocol shares.
// Its fields may be left zero, except Fetcher, and must not change in use.
type Client struct {
	// Fetcher does the work. It is usually a *Registry.
	Fetcher Fetcher

	// Syntax parses the text for Get, and so says which schemes it may have. It also reads a URL of
	// one of its schemes that was parsed without it, such as the Location of a server of another
	// protocol. If nil, the schemes are those of url.Parse.
	Syntax *url.Syntax

	// Follow decides whether to go to the Location of res, a Redirect, which it must
	// not close: via holds the URLs asked so far, the last of which answered with res.
	// For an Upgrade, which is no answer, the last is the URL that was to be asked.
	// An error stops the fetch; ErrKeepRedirect makes res the result.
	// It decides about that for the rest of a Body too, which cannot be kept.
	// If nil, FollowUpTo(10) decides.
	Follow func(ctx context.Context, via []*url.URL, res *Resource) error

	// Trusting sends the Login, the Header and the user of the URL to every place that
	// redirections lead to, and not only within an origin. Any server on the way gets them, and
	// says who is next. A login of the Keychain stays with the origin that asked for it, and a
	// field Host with the host that was asked first.
	Trusting bool

	// Keychain finds credentials once a server has asked for them.
	// If nil, only those in the Request and its URL are used.
	Keychain Keychain

	// Retry says how often a request is repeated. The zero Retry never does. It
	// holds for Bodies too: one that breaks off goes on where it was, if the
	// resource is proven to be the same. Its Read then fails with ErrChanged if
	// it is not. A Body that cannot go on fails with a RestartError.
	Retry Retry
}

// ErrKeepRedirect is for a Client's Follow to return. It is not an error of a
// fetch.
var ErrKeepRedirect = errors.New("keep the redirection")

// Get fetches the URL in s. The caller must close the Resource.
func (c *Client) Get(ctx context.Context, s string) (*Resource, error) {
	u, err := c.Syntax.Parse(s)
	if err != nil {
		return nil, &Error{Op: "parse", URL: url.Redact(s), Err: err}
	}
	return c.Fetch(ctx, &Request{URL: u})
}

// Fetch fetches req, following redirections, answering requests for a login
// and trying again, as the Client's fields allow. Client is thus a Fetcher.
func (c *Client) Fetch(ctx context.Context, req *Request) (*Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.Named == ByStranger {
		req = req.FromStranger()
	}
	retry := c.Retry
	if req.Once {
		retry = Retry{}
	}
	a := newAttempts(retry, contextUsage(ctx))
	u, err := c.Syntax.Read(req.URL)
	if err != nil {
		return nil, NewError("parse", req.URL, err)
	}
	given := *req
	given.URL = u
	w := way{req: given, given: &given}
	res, err := c.ask(ctx, &w, a)
	if err == nil {
		c.resume(ctx, w, res, a)
	}
	return res, err
}

// A way is a request as it has become, and what was asked before.
type way struct {
	req   Request
	given *Request   // as it was first
	via   []*url.URL // as Follow has them
}

// ask is Fetch, but goes on from where w is, takes it along, and repeats requests as
// a allows. The Body is as the Fetcher made it.
func (c *Client) ask(ctx context.Context, w *way, a *attempts) (*Resource, error) {
	ctx = context.WithValue(ctx, attemptsKey{}, a)
	follow := c.Follow
	if follow == nil {
		follow = FollowUpTo(10)
	}
	trace := ContextTrace(ctx)

	r, asked := &w.req, false
	for {
		res, err := c.exchange(ctx, r)

		if err == nil && res.Refusal == nil {
			if res.Kind != Redirect || r.NoFollow && !res.Upgrade {
				return res, nil
			}
			via := append(w.via, r.URL)
			if !res.Upgrade { // else no server was asked
				w.via = via
			}
			if res.Location, err = c.Syntax.Read(res.Location); err != nil {
				err = fmt.Errorf("%w: %w", ErrRedirect, err)
			} else {
				err = follow(ctx, via, res)
			}
			if err == nil && w.given.Named == ByStranger && len(w.via) > strangerRedirects {
				err = fmt.Errorf("%w: more than %d redirections from a URL that the user did not name", ErrRedirect, strangerRedirects)
			}
			if errors.Is(err, ErrKeepRedirect) {
				return res, nil
			}
			res.Close()
			if err != nil {
				return nil, NewError("fetch", r.URL, err)
			}
			next := w.redirected(r, res, c.Trusting)
			trace.Follow(r.URL, next.URL)
			*r, asked = next, false
			continue
		}

		failure := err
		if err == nil {
			failure = res.Refusal
		}
		if errors.Is(failure, ErrLogin) && c.Keychain != nil && !asked && r.Named != ByStranger {
			found, lookupErr := c.login(ctx, w, failure)
			if err == nil && (found != nil || lookupErr != nil) {
				res.discard()
			}
			if lookupErr != nil {
				return nil, lookupErr
			}
			if found != nil {
				r.Login, asked = found, true
				continue
			}
		}

		if err == nil && !errors.Is(failure, ErrTemporary) { // an answer is no failure that Retry.When adds
			return res, nil
		}
		wait, again := a.again(failure)
		switch {
		case !again && err == nil:
			return res, nil
		case !again:
			return nil, a.err(err)
		case err == nil:
			res.discard()
		}
		trace.Retry(a.failed, wait, failure)
		if err := pause(ctx, wait); err != nil {
			return nil, NewError("fetch", r.URL, err)
		}
	}
}

// exchange has the Fetcher answer req, and tells the Trace of it.
func (c *Client) exchange(ctx context.Context, req *Request) (*Resource, error) {
	ctx, u := ContextTrace(ctx).FetchStart(req.URL), req.URL
	res, err := Fetch(ctx, c.Fetcher, req)
	trace := ContextTrace(ctx)
	if err == nil && trace.to().BodyDone != nil {
		res.whenDone(func(n int64, err error) { trace.BodyDone(u, n, err) })
	}
	trace.FetchDone(u, res, err)
	return res, err
}

// login returns the credential of the Keychain for a server that has refused the request of w,
// or nil if it has none.
func (c *Client) login(ctx context.Context, w *way, failure error) (*Credential, error) {
	r := &w.req
	o := OriginOf(r.URL)
	o.Redirected = w.given.Named != ByUser || !r.URL.SameOrigin(w.given.URL)
	var refused *StatusError
	if errors.As(failure, &refused) {
		o.Realm = refused.Realm
	}
	found, err := c.Keychain.Lookup(ctx, o)
	switch {
	case err == nil:
		ContextTrace(ctx).Login(o, found.Source)
		return &found, nil
	case errors.Is(err, ErrLogin):
		return nil, nil
	}
	return nil, NewError("login", r.URL, err)
}

// CloseIdle closes the connections that the Client's Fetcher keeps.
func (c *Client) CloseIdle() {
	if f, ok := c.Fetcher.(IdleCloser); ok {
		f.CloseIdle()
	}
}

// redirected returns r as it is to be asked at the place that res names. Login and
// Header go along only to the same origin, or with an Upgrade to the same host; a user
// named by a server never does. Via goes along to everywhere, so that a loop of proxies is seen
// (RFC 9110, section 7.6.3). If trusting, Login and Header of the first request do too.
// The fragment is kept unless there is a new one (RFC 9110, section 10.2.2).
func (w *way) redirected(r *Request, res *Resource, trusting bool) Request {
	next, u := *r, *res.Location
	within := res.Upgrade && u.Host == r.URL.Host || u.SameOrigin(r.URL)
	if u.User = nil; within || trusting {
		u.User = r.URL.User
	}
	if !within {
		next.Login, next.Header = nil, nil
		if via := r.Header["Via"]; via != nil {
			next.Header = textproto.MIMEHeader{"Via": via}
		}
		next.Named = w.given.Named.redirected(&u, w.given.URL)
	}
	if !within && trusting {
		next.Login, next.Header = w.given.Login, w.header(u.Host)
	}
	if u.Fragment == "" {
		u.Fragment = r.URL.Fragment
	}
	next.URL = &u
	return next
}

// header returns the Header of the first request for another host: without the field Host, by
// which that would be taken for the first one, and get its cookies.
func (w *way) header(host string) textproto.MIMEHeader {
	if host == w.given.URL.Host {
		return w.given.Header
	}
	h := maps.Clone(w.given.Header)
	maps.DeleteFunc(h, func(name string, _ []string) bool { return strings.EqualFold(name, "Host") })
	return h
}

// FollowUpTo returns the usual rule for redirections, with a limit on their
// number, in which an Upgrade does not count. They lead to the schemes that are open to all ([url.Open]) and to those that
// the Leads of the Resource adds, and to the schemes in more, from any server, but never to a
// local file.
func FollowUpTo(limit int, more ...string) func(ctx context.Context, via []*url.URL, res *Resource) error {
	return func(_ context.Context, via []*url.URL, res *Resource) error {
		if len(via) > limit && !res.Upgrade {
			return fmt.Errorf("%w: more than %d of them", ErrRedirect, limit)
		}
		to := res.Location.Scheme
		if url.Open(to) || (slices.Contains(more, to) || res.Leads != nil && res.Leads(to)) && !url.Local(to) {
			return nil
		}
		return fmt.Errorf("%w: to %s", ErrRedirect, res.Location.Redacted())
	}
}

// Anywhere is the Leads of a Redirect whose purpose is to lead to other protocols, such
// as a link in a menu.
func Anywhere(string) bool { return true }
