package proxy

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
	"github.com/seed1ea3422f/fetch/fetchers/internal/tunnel"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A DialFunc opens connections, like the Dial of a fetchers.Network.
type DialFunc = fetchers.DialFunc

// A Proxy is a proxy server. Its fields must not change while in use; it is safe for concurrent
// use.
type Proxy struct {
	// URL is the URL of the proxy, as Parse returns it. Its user and password are sent to the proxy
	// only.
	URL *url.URL

	// Forward connects to the proxy itself; if nil, a net.Dialer does. If it is Guarded, the
	// proxy's address is checked.
	Forward DialFunc

	// Lookup returns addresses of targets without DNS, for proxies that do not accept names. If
	// nil, it is fetchers.Localhost.
	Lookup fetchers.LookupFunc

	// Resolve returns the addresses of a name that Lookup does not know; network is ip or ip4. If
	// nil, the system resolver is used.
	Resolve func(ctx context.Context, network, name string) ([]netip.Addr, error)

	// Logins are the schemes of authentication that may be answered to an HTTP proxy: "digest",
	// "ntlm" and "basic". If nil, the scheme is "basic", which is sent before any challenge;
	// otherwise credentials are sent after a challenge.
	Logins []string

	// HTTP10 makes CONNECT requests to an HTTP proxy use HTTP/1.0.
	HTTP10 bool

	// NTLM makes the messages of "ntlm". Without it "ntlm" is not answered.
	NTLM fetchers.NTLM

	// TLS is the configuration of TLS with an https proxy. Its ServerName and NextProtos are
	// ignored. If nil, the proxy's certificate must be trusted by the system.
	TLS *tls.Config
}

var (
	errNoURL     = fmt.Errorf("%w: it has no URL", fetchers.ErrProxy)
	errNoContext = errors.New("the context is nil")
)

// Dialer returns a function that opens connections through the proxy via, which is reached by
// forward, or by a net.Dialer if that is nil. It returns an error if via is nil or not the URL of a
// proxy.
func Dialer(via *url.URL, forward DialFunc) (DialFunc, error) {
	if via == nil {
		return nil, errNoURL
	}
	p := &Proxy{URL: via, Forward: forward}
	if _, err := p.protocol(nil); err != nil {
		return nil, &fetchers.ProxyError{Proxy: via.Redacted(), Err: err}
	}
	return p.Dial, nil
}

// ports are the schemes of proxies, with their default ports.
var ports = map[string]uint16{
	"http": 80, "https": 443,
	"socks": 1080, "socks4": 1080, "socks4a": 1080, "socks5": 1080, "socks5h": 1080,
}

// Parse parses the URL of a proxy as users write it: without a scheme it is an HTTP proxy. The
// result has a port. The error is an ErrProxy, and does not contain the text, which may include a
// password.
func Parse(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", fetchers.ErrProxy, err)
	}
	if u.Path == "/" {
		u.Path = ""
	}
	port, known := ports[u.Scheme]
	switch {
	case !known:
		return nil, fmt.Errorf("%w: there are no proxies of scheme %s", fetchers.ErrProxy, u.Scheme)
	case u.Host == "", u.Path != "", u.Query != "", u.Fragment != "":
		return nil, fmt.Errorf("%w: its URL is not of the form scheme://user:password@host:port", fetchers.ErrProxy)
	case u.Port == 0:
		u.Port = port
	}
	return u, nil
}

// A protocol requests a connection to a target from the proxy at the other end of c. It reads the
// replies and no byte more, since the next bytes are from the target.
type protocol func(ctx context.Context, c io.ReadWriter, to target) error

// protocol returns the protocol of the proxy's URL. It returns an error if the protocol cannot
// express the user or password. If login is not nil, an HTTP proxy receives the credentials in this
// scheme.
func (p *Proxy) protocol(login httpauth.Scheme) (protocol, error) {
	user := p.URL.User
	switch p.URL.Scheme {
	case "socks5", "socks5h", "socks":
		if user != nil && (user.Name == "" || len(user.Name) > 255 || len(user.Password) > 255) {
			return nil, errors.New("in SOCKS5 a user name has 1 to 255 bytes, and a password at most 255")
		}
		return func(_ context.Context, c io.ReadWriter, to target) error { return socks5(c, user, to) }, nil
	case "socks4", "socks4a":
		if user != nil && (user.PasswordSet || strings.Contains(user.Name, "\x00")) {
			return nil, errors.New("SOCKS4 has no passwords, and no NUL in a user name")
		}
		return func(_ context.Context, c io.ReadWriter, to target) error { return socks4(c, user, to) }, nil
	case "http", "https":
		if user != nil && strings.Contains(user.Name, ":") {
			return nil, errors.New(`a user name has no ":" in HTTP`) // RFC 7617, section 2
		}
		return func(ctx context.Context, c io.ReadWriter, to target) error {
			ask := tunnel.Request{Target: to.String(), HTTP10: p.HTTP10}
			switch {
			case user == nil:
			case login == httpauth.NTLM{}:
				ask.Handshake = &httpauth.Handshake{Messages: p.NTLM, User: user.Name, Password: user.Password}
			case login != nil:
				ask.Login = login.Answer(user.Name, user.Password, "CONNECT", ask.Target)
			}
			return ask.Connect(fetchers.ContextTrace(ctx), c)
		}, nil
	}
	return nil, fmt.Errorf("there are no proxies of scheme %s", p.URL.Scheme)
}

// Dial connects to addr through the proxy, within the deadline of ctx. The connection's RemoteAddr
// is that of the target. A failure at the proxy, or to reach it, is a fetchers.ProxyError; a
// failure to resolve addr here is not. UDP, which only SOCKS5 supports and few proxies implement,
// is not supported. A nil ctx or URL is an error.
func (p *Proxy) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	switch {
	case ctx == nil:
		return nil, errNoContext
	case p.URL == nil:
		return nil, errNoURL
	}
	if strings.HasPrefix(network, "udp") {
		return nil, &fetchers.ProxyError{Proxy: p.URL.Redacted(), Err: errors.New("it does not support UDP")}
	}
	to, err := parseTarget(network, addr)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	targets := []target{to}
	if p.URL.Scheme == "socks4" || p.URL.Scheme == "socks5" {
		if p.URL.Scheme == "socks4" {
			network = "tcp4"
		}
		if targets, err = to.resolve(ctx, network, p.Lookup, p.Resolve); err != nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: err}
		}
	}
	var first error
	for _, to := range targets {
		c, err := p.dial(ctx, to)
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = &fetchers.ProxyError{Proxy: p.URL.Redacted(), Err: err}
		}
		if !unreachable(err) {
			break // other addresses of the name would be refused, too
		}
	}
	return nil, first
}

// dial connects to the proxy and through it to one target, with a login if the proxy demands one.
func (p *Proxy) dial(ctx context.Context, to target) (net.Conn, error) {
	if p.Logins == nil {
		return p.try(ctx, to, httpauth.Basic{})
	}
	c, err := p.try(ctx, to, nil)
	var refused *tunnel.Refusal
	if p.URL.User == nil || !errors.As(err, &refused) {
		return c, err
	}
	allowed := p.Logins
	if p.NTLM == nil {
		allowed = slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "ntlm" })
	}
	login, _ := httpauth.Strongest(httpauth.Challenges(refused.Challenges()), allowed, p.URL.User.Name, rand.Text)
	if login == nil {
		return c, err
	}
	return p.try(ctx, to, login)
}

// try connects to the proxy and through it to one target.
func (p *Proxy) try(ctx context.Context, to target, login httpauth.Scheme) (net.Conn, error) {
	speak, err := p.protocol(login)
	if err != nil {
		return nil, err
	}
	forward := p.Forward
	if forward == nil {
		forward = fetchers.Known((&net.Dialer{}).DialContext, fetchers.Localhost)
	}
	c, err := forward(ctx, "tcp", p.addr())
	if err != nil {
		return nil, err
	}
	socket := c
	release := context.AfterFunc(ctx, func() { socket.Close() })
	if p.URL.Scheme == "https" {
		secure := transport.TLSClient(c, tunnel.TLSConfig(p.TLS, p.URL.Host))
		err, c = transport.Handshake(ctx, secure), secure
	}
	if err == nil {
		err = speak(ctx, c, to)
	}
	if !release() { // the context is done, and has closed the connection
		err = ctx.Err()
	}
	if err != nil {
		socket.Close()
		return nil, plain(err)
	}
	fetchers.ContextTrace(ctx).Note("proxy " + p.URL.Redacted() + " connects to " + to.String())
	connected := &conn{Conn: c, to: to}
	if seen, ok := socket.(syscall.Conn); ok {
		return &visible{connected, seen}, nil
	}
	return connected, nil
}

func (p *Proxy) addr() string {
	port := p.URL.Port
	if port == 0 {
		port = ports[p.URL.Scheme]
	}
	return net.JoinHostPort(p.URL.Host, strconv.Itoa(int(port)))
}
