package telnet

import (
	"context"
	"crypto/tls"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches telnet, telnets, rlogin and tn3270 URLs as a Session. The zero value is ready
// to use. Its fields must not change in use.
type Fetcher struct {
	// Network connects to servers, when Dial is called.
	Network *fetchers.Network

	// TLS holds settings for telnets; nil means defaults. It is not modified.
	TLS *tls.Config

	// Terminal is the type of the user's terminal, such as "xterm", for servers that ask. If it is
	// empty, there is no terminal, and the client refuses every option of a server.
	Terminal string

	dialer transport.Dialer
}

// Fetch returns the address of the service, and opens no connection.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.Telnet()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	u, named := *req.URL, req.Named
	hint := &fetchers.SessionHint{Service: u.Scheme, Addr: u.Addr(), Login: advice(req)}
	if what.Service == "telnet" {
		hint.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
			s, err := f.dial(ctx, &u, what.Secure, named)
			if err != nil {
				return nil, fetchers.NewError("connect", &u, err)
			}
			return s, nil
		}
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Session, Size: -1, Session: hint}
	res.SetBody(nil)
	return res, nil
}

// advice returns the login to show to the user (RFC 1738, section 3.8: the name and password are
// only advisory).
func advice(req *fetchers.Request) fetchers.Credential {
	if who, _ := req.Credential(); who != nil {
		return *who
	}
	return fetchers.Credential{}
}

// dial opens a session, which ends with ctx.
func (f *Fetcher) dial(ctx context.Context, u *url.URL, secure bool, named fetchers.Namer) (*Session, error) {
	// A user may be idle for any time, so that only sending has a timeout.
	untimed := fetchers.Network{Stall: -1}
	if f.Network != nil {
		untimed.Dial, untimed.Connect = f.Network.Dial, f.Network.Connect
		untimed.MaxConnsPerHost = f.Network.MaxConnsPerHost
	}
	conn, err := f.dialer.Dial(ctx, &untimed, u.Addr())
	if err != nil {
		return nil, err
	}
	if secure {
		if err := f.protect(ctx, conn, transport.TLSConfig(f.TLS, u.Host, named)); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return newSession(conn, f.Network.StallLimit(), f.Terminal)
}

// protect starts TLS. The handshake has the same timeout as connecting.
func (f *Fetcher) protect(ctx context.Context, conn *transport.Conn, config *tls.Config) error {
	limited := ctx
	if limit := f.Network.StallLimit(); limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, limit, fetchers.ErrStalled)
		defer cancel()
	}
	conn.Bind(limited)
	err := conn.Secure(config, nil)
	if cause := context.Cause(limited); err != nil && cause != nil {
		return cause
	}
	conn.Bind(ctx)
	return err
}
