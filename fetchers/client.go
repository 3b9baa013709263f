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

// A Client adds redirections, logins and retries to a Fetcher of any protocol. All fields except
// Fetcher may be zero. They must not change while in use.
type Client struct {
	// Fetcher fetches the URLs. It is usually a *Registry.
	Fetcher Fetcher

	// Syntax parses the URL of Get, and so defines its schemes. It also parses again a URL of one
	// of its schemes that was parsed without it, such as the Location of a server of another
	// protocol. If nil, the schemes are those of url.Parse.
	Syntax *url.Syntax

	// Follow decides whether to follow res, a Redirect, to its Location. It must not close res. via
	// holds the URLs requested so far; the last of them returned res. For an Upgrade, which is no
	// response, the last one is the URL of the request that was not sent. An error ends the fetch;
	// ErrKeepRedirect returns res to the caller. Follow is also called when the request for the
	// rest of a Body is redirected; such a redirection cannot be kept. If nil, FollowUpTo(10)
	// decides.
	Follow func(ctx context.Context, via []*url.URL, res *Resource) error

	// Trusting sends the Login, the Header and the user of the URL to the target of every
	// redirection, not only within an origin. Then any server in the chain receives them, and
	// decides which server is next. A login of the Keychain remains with the origin that demanded
	// it, and a Host field with the host of the first request.
	Trusting bool

	// Keychain returns credentials after a server has demanded them. If nil, only those of the
	// Request and its URL are used.
	Keychain Keychain

	// Retry limits how often a request is repeated. The zero Retry never repeats a request. It also
	// applies to Bodies: a Body that breaks off is resumed if the resource is proven to be the
	// same. If the resource has changed, its Read fails with ErrChanged. If the Body cannot be
	// resumed, it fails with a RestartError.
	Retry Retry
}

// ErrKeepRedirect is returned by a Client's Follow. No fetch returns it.
var ErrKeepRedirect = errors.New("keep the redirection")

// Get fetches the URL in s. The caller must close the Resource.
func (c *Client) Get(ctx context.Context, s string) (*Resource, error) {
	u, err := c.Syntax.Parse(s)
	if err != nil {
		return nil, &Error{Op: "parse", URL: url.Redact(s), Err: err}
	}
	return c.Fetch(ctx, &Request{URL: u})
}

// Fetch fetches req. It follows redirections, answers demands for a login and repeats requests, as
// the fields of c allow. Client is thus a Fetcher.
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

// A way is the current request of a fetch, with the requests before it.
type way struct {
	req   Request
	given *Request   // the first request
	via   []*url.URL // the via of Follow
}

// ask is Fetch from the current state of w, which it updates. It repeats requests as a allows. The
// Body is that of the Fetcher, without resumption.
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
			if !res.Upgrade { // an Upgrade is not a request
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

		if err == nil && !errors.Is(failure, ErrTemporary) { // Retry.When does not apply to responses
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

// exchange fetches req by the Fetcher, and reports it to the Trace.
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

// login returns the credential of the Keychain for the server that refused the request of w, or nil
// if there is none.
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

// CloseIdle closes the idle connections of the Fetcher.
func (c *Client) CloseIdle() {
	if f, ok := c.Fetcher.(IdleCloser); ok {
		f.CloseIdle()
	}
}

// redirected returns the request that follows r to the Location of res. It has the Login and Header
// of r only if the origin is the same, or for an Upgrade to the same host. A user named by a server
// is removed. The field Via is always kept, so that a loop of proxies is detected (RFC 9110, section
// 7.6.3). If trusting, Login and Header of the first request are kept, too. The fragment is kept
// unless the Location has one (RFC 9110, section 10.2.2).
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

// header returns the Header of the first request for another host. The Host field is removed, since
// the other server would take itself for the first host, and receive its cookies.
func (w *way) header(host string) textproto.MIMEHeader {
	if host == w.given.URL.Host {
		return w.given.Header
	}
	h := maps.Clone(w.given.Header)
	maps.DeleteFunc(h, func(name string, _ []string) bool { return strings.EqualFold(name, "Host") })
	return h
}

// FollowUpTo returns the default rule for redirections, with a limit on their number that does not
// count Upgrades. Redirections are followed to the schemes for all ([url.Open]), to those that the
// Leads of the Resource allows, and to those in more, but never to a local file.
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

// Anywhere is the Leads of a Redirect that may lead to any protocol, such as a link in a menu.
func Anywhere(string) bool { return true }
