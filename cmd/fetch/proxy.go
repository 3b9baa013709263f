package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/url"
)

// proxyFlags say which proxies are used.
type proxyFlags struct {
	proxy  string
	except string
	user   string
	tunnel bool
	basic  bool
	digest bool
	any    bool
}

func (f *proxyFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&f.proxy, "proxy", "x", "", "go through the proxy `URL`: http, https, socks4, socks4a, socks5 or socks5h")
	flags.StringVar(&f.except, "noproxy", "", "use no proxy for the hosts in `LIST`; * is all")
	flags.StringVarP(&f.user, "proxy-user", "U", "", "log in at the proxy as `NAME:PASSWORD`")
	flags.BoolVar(&f.basic, "proxy-basic", false, "log in at an HTTP proxy by Basic, which is sent before it asks (default)")
	flags.BoolVar(&f.digest, "proxy-digest", false, "log in at an HTTP proxy by Digest only")
	flags.BoolVar(&f.any, "proxy-anyauth", false, "log in at an HTTP proxy as it asks for, by Digest rather than Basic")
	flags.BoolVarP(&f.tunnel, "proxytunnel", "p", false, "ask an HTTP proxy for tunnels only, not for URLs")
}

// rules returns which proxy is used for what: that of -x, or else those of the
// environment.
func (f *proxyFlags) rules(a *app) (proxy.Rules, error) {
	var found []string
	rules, err := proxy.FromEnvironment(func(name string) string {
		value := os.Getenv(name)
		if value != "" {
			found = append(found, name)
		}
		return value
	})
	if !a.isSet("proxy") && err == nil {
		for _, name := range found {
			what := "proxy"
			if strings.EqualFold(name, "no_proxy") {
				what = "no proxy for"
			}
			a.remark("%s %s from %s", what, url.Redact(os.Getenv(name)), name)
		}
	}
	if a.isSet("proxy") {
		err, rules.Proxies = nil, nil
		if f.proxy != "" {
			via, err := proxy.Parse(f.proxy)
			if err != nil {
				return rules, usageError{fmt.Errorf("--proxy: %w", err)}
			}
			rules.Proxies = map[string]*url.URL{proxy.All: via}
		}
	}
	if err != nil {
		return rules, usageError{err}
	}
	if a.given["proxy-user"] && len(rules.Proxies) == 0 {
		return rules, usageError{errors.New("-U is for a proxy, and there is none: use -x URL")}
	}
	for _, name := range []string{"proxytunnel", "proxy-basic", "proxy-digest", "proxy-anyauth"} {
		if a.given[name] && !anyHTTP(rules.Proxies) {
			return rules, usageError{fmt.Errorf("--%s is for an HTTP proxy, and there is none: use -x URL", name)}
		}
	}
	if a.isSet("noproxy") {
		rules.Except = f.except
	}
	if f.user != "" {
		name, password, set := strings.Cut(f.user, ":")
		rules = rules.WithUser(&url.Userinfo{Name: name, Password: password, PasswordSet: set})
	}
	return rules, nil
}

func anyHTTP(proxies map[string]*url.URL) bool {
	for _, via := range proxies {
		if via != nil && (via.Scheme == "http" || via.Scheme == "https") {
			return true
		}
	}
	return false
}

// logins returns how to log in at HTTP proxies; nil is by Basic, unasked.
func (f *proxyFlags) logins() []string {
	switch {
	case f.any, f.basic && f.digest:
		return []string{"digest", "basic"}
	case f.digest:
		return []string{"digest"}
	}
	return nil
}

// trustOf returns the part of the settings that is good for a proxy: whom to trust,
// and not a certificate of ours, or that anybody is trusted.
func trustOf(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	return &tls.Config{RootCAs: config.RootCAs, MinVersion: config.MinVersion}
}

// fetcher returns the protocols, by way of the proxies.
func (f *proxyFlags) fetcher(ctx context.Context, a *app, nw *fetchers.Network, config *tls.Config) (fetchers.Fetcher, error) {
	rules, err := f.rules(a)
	if err != nil {
		return nil, err
	}
	router := &proxy.Router{Rules: rules, Forward: nw.Dial, Direct: nw.DialData, TLS: trustOf(config), Logins: f.logins()}
	if len(rules.Proxies) > 0 {
		if a.route.publicOnly && rules.Except != "*" {
			return nil, usageError{errors.New("--public-only judges addresses, and through a proxy it would see those of the proxy only: add --noproxy '*'")}
		}
		nw.Dial, nw.DialData = a.route.rerouted(router.Dial), router.Dial
	}
	set := fetch.NewSet(nw)
	set.File = a.local()
	if err := a.web.apply(ctx, &set.HTTP, a.toFiles()); err != nil {
		return nil, err
	}
	set.HTTP.TLS, set.Gopher.TLS = config, config
	a.ftp.apply(&set.FTP, config)
	if err := a.wais.apply(&set.WAIS); err != nil {
		return nil, err
	}
	if err := a.news.apply(ctx, a, set, config); err != nil {
		return nil, err
	}
	a.session.apply(&set.Telnet, config)
	set.URN.Table = a.urn.table
	if set.FTP.Active && len(rules.Proxies) > 0 {
		return nil, usageError{errors.New("-P lets the server connect to us, which it cannot do through a proxy")}
	}
	registry := set.Registry()
	registry.AnyPort, registry.AnySessionPort = a.route.anyPort, a.session.connect
	if len(rules.Proxies) == 0 {
		return registry, nil
	}
	router.Fetcher = registry
	if !f.tunnel && !a.ftp.sslReqd && a.wire.name == "" { // of what goes through a tunnel there is a script, and TLS
		set.HTTP.Proxy, router.Gateway = rules.Gateway, &set.HTTP
		set.HTTP.ProxyLogins = f.logins()
		a.wais.gateway = rules.Gateway
	}
	return router, nil
}
