package http

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	nethttp "net/http"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// maxHeader bounds the header of a response, in bytes.
const maxHeader = 256 << 10

// A Fetcher fetches http and https URLs. Its zero value is ready to use; it must
// not be copied afterwards. It keeps connections for the next request.
type Fetcher struct {
	// Network is how servers are reached.
	Network *fetchers.Network

	// UserAgent is what the Fetcher calls itself; "fetch" if empty.
	UserAgent string

	// TLS says whom to trust, which certificate to show and so on; nil is the
	// usual. It is copied at the first use. Its NextProtos are not used.
	TLS *tls.Config

	once      sync.Once
	transport *nethttp.Transport
}

// Fetch makes one request, and further ones only as far as ContextRetry allows.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	what, err := req.URL.HTTP()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	method := "GET"
	if req.Describe {
		method = "HEAD"
	}
	resp, err := f.ask(ctx, method, req, what)
	var status *fetchers.StatusError
	if req.Describe && errors.As(err, &status) && (status.Code == 405 || status.Code == 501) {
		resp, err = f.ask(ctx, "GET", req, what)
	}
	if err != nil {
		return nil, fetchers.NewError(operation(err), req.URL, err)
	}
	res, err := resource(req, resp)
	if err != nil {
		resp.Body.Close()
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	return res, nil
}

// ask makes the request and returns an answer that is no refusal.
func (f *Fetcher) ask(ctx context.Context, method string, req *fetchers.Request, what url.HTTP) (*nethttp.Response, error) {
	r, err := f.request(ctx, method, req, what)
	if err != nil {
		return nil, err
	}
	return f.do(r)
}

// CloseIdle closes the connections that no Resource is using.
func (f *Fetcher) CloseIdle() { f.start().CloseIdleConnections() }

// start makes the Transport at its first use.
func (f *Fetcher) start() *nethttp.Transport {
	f.once.Do(func() {
		f.transport = &nethttp.Transport{
			DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
				return wire.Dial(ctx, f.Network, addr)
			},
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // it would hide lengths and validators
			MaxResponseHeaderBytes: maxHeader,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        30 * time.Second,
			TLSHandshakeTimeout:    30 * time.Second,
			// Silence is noticed by the connection; this is for a header
			// that comes byte by byte.
			ResponseHeaderTimeout: f.Network.StallLimit(),
			HTTP2:                 &nethttp.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
		}
		if f.TLS != nil {
			f.transport.TLSClientConfig = f.TLS.Clone()
			f.transport.TLSClientConfig.NextProtos = nil // net/http knows what it can speak
		}
	})
	return f.transport
}

// operation says what was going on when err happened.
func operation(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "connect"
	}
	return "fetch"
}
