package stack

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A route has the settings for connections: the local address, the proxies, the trusted
// certificates and the certificate of the user.
type route struct {
	network *fetchers.Network
	tls     *tls.Config   // nil is the usual one
	router  *proxy.Router // nil if there are no proxies; newProtocols completes it
}

// newRoute returns the route of Options. given reports the flags for a proxy that are an
// error without one.
func newRoute(ctx context.Context, o *option.Options, given func(flag string) bool) (*route, error) {
	nw, around, err := newNetwork(o)
	if err != nil {
		return nil, record.UsageError{Err: err}
	}
	config, err := tlsConfig(ctx, o.TLS)
	if err != nil {
		return nil, err
	}
	rules, err := proxyRules(o, given)
	if err != nil {
		return nil, record.UsageError{Err: err}
	}
	r := &route{network: nw, tls: config}
	switch {
	case len(rules.Proxies) == 0 && rules.First == nil:
		return r, nil
	case o.Route.PublicOnly && rules.Except != "*":
		return nil, record.UsageError{Err: errors.New("--public-only judges addresses, and through a proxy it would see those of the proxy only: add --noproxy '*'")}
	case activeFTP(o.FTP):
		return nil, record.UsageError{Err: errors.New("-P lets the server connect to us, which it cannot do through a proxy")}
	}
	names, err := parseNameServers(o.Route.DNSServers)
	if err != nil {
		return nil, record.UsageError{Err: err}
	}
	toProxies, err := proxyTLS(ctx, o.Proxy, config)
	if err != nil {
		return nil, record.InputError{Err: err}
	}
	// --connect-to is for servers; --resolve is for proxies too.
	r.router = &proxy.Router{
		Rules: rules, Forward: nw.DialData, Direct: nw.DialData, Lookup: around.addresses.lookup, Target: around.detours.target,
		Resolve: names.lookup(), TLS: toProxies, Logins: proxyLogins(o.Proxy), NTLM: ntlm.Messages{}, HTTP10: o.IsSet("proxy1.0"),
	}
	nw.Dial, nw.DialData = r.router.Dial, r.router.DialData
	nw.Local = func(u *url.URL) bool { return rules.For(u) == nil && around.local(u) }
	return r, nil
}

// shared is the state that the protocols of all origins have in common.
type shared struct {
	jar     *http.Jar  // nil if the run keeps no cookies
	hsts    *http.HSTS // nil if the run keeps no list of hosts
	news    newsServer
	message enclosing
	likes   likes

	knownHosts *knownHosts
	streams    *term.Streams
}

// openShared reads the files and flags with the shared state.
func openShared(ctx context.Context, o *option.Options, streams *term.Streams) (_ *shared, err error) {
	s := &shared{streams: streams, knownHosts: newKnownHosts(o.Gemini, streams)}
	if s.jar, err = openJar(ctx, o, streams); err != nil {
		return nil, err
	}
	if s.hsts, err = openHSTS(ctx, o.Ask.HSTS); err != nil {
		return nil, err
	}
	if s.likes, err = parseLikes(o.WAIS.Like); err != nil {
		return nil, record.UsageError{Err: err}
	}
	if s.message, err = findEnclosing(o); err != nil {
		return nil, err
	}
	s.news, err = findNewsServer(ctx, o.News.Server)
	return s, err
}

// protocols are all protocols of this module, for one set of Options.
type protocols struct {
	fetcher fetchers.Fetcher        // the protocols, by way of the proxies
	web     *http.Fetcher           // the protocol that lists directories by WebDAV
	gateway func(*url.URL) *url.URL // the HTTP proxy that gets the request for a URL; nil if there are only tunnels
}

// newProtocols returns the protocols for a run, or for the section of an origin. r is for
// them alone.
func newProtocols(r *route, o *option.Options, s *shared) *protocols {
	set := fetch.NewSet(r.network)
	set.File = localFiles(o)
	set.URN.Table = o.URN
	set.Gopher.TLS = r.tls
	setGemini(&set.Gemini, r.tls, s)
	setWeb(&set.HTTP, r.tls, o, s)
	setFTP(&set.FTP, r.tls, o)
	setSearches(set, o.WAIS)
	setSSH(&set.SFTP, o.SSH, o.Route.PublicOnly, s.streams)
	setS3(&set.S3, o.S3, s.streams)
	setNews(&set.NNTP, r.tls, o.TLS, s.news)
	setMessage(&set.MID, s.message)
	set.TFTP.BlockSize, set.TFTP.NoOptions = o.TFTP.BlockSize, o.TFTP.NoOptions
	setTelnet(&set.Telnet, r.tls, o.Session)
	registry := set.Registry()
	registry.AnyPort, registry.AnySessionPort = o.Route.AnyPort, o.Session.Connect
	p := &protocols{fetcher: registry, web: &set.HTTP}
	if r.router == nil {
		return p
	}
	r.router.Fetcher, p.fetcher = registry, r.router
	set.S3.HTTP = r.router                                         // it has the proxy for the URL of the request
	if !o.Proxy.Tunnel && !o.TLS.SSLReqd && o.Output.Trace == "" { // a tunnel leaves a script, and can have TLS to the server
		p.gateway = r.router.AsksFor
		set.HTTP.Proxy, set.HTTP.ProxyLogins, set.HTTP.ProxyTLS = p.gateway, r.router.Logins, r.router.TLS
		set.HTTP.ProxyHTTP10 = r.router.HTTP10
		r.router.Gateway = &set.HTTP
	}
	return p
}

// setTelnet gives the certificates to client, and the terminal if a session is to be opened at it.
func setTelnet(client *telnet.Fetcher, config *tls.Config, o option.Session) {
	client.TLS = config
	if o.Connect {
		client.Terminal = os.Getenv("TERM")
		if client.Terminal == "" {
			client.Terminal = "unknown"
		}
	}
}

// localFiles returns the Fetcher for the files of this machine.
func localFiles(o *option.Options) file.Fetcher {
	name, _ := os.Hostname() // without a name of the machine, no URL has it
	return file.Fetcher{Hostname: name, Blocked: blocksFiles(o)}
}

// blocksFiles returns the error of --public-only for a file of this machine. It is nil if
// --proto names the scheme file; "all" does not name it.
func blocksFiles(o *option.Options) error {
	if !o.Route.PublicOnly || o.Follow.Proto.Names("file") {
		return nil
	}
	return fmt.Errorf("%w: with --public-only no file of this machine is read, unless --proto names file", fetchers.ErrBlocked)
}
