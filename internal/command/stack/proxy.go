package stack

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// proxyRules returns the rules that choose the proxy for a URL: that of -x for all, or else those
// of the environment. given reports the flags that are an error if there is no proxy for them.
func proxyRules(o *option.Options, given func(flag string) bool) (proxy.Rules, error) {
	rules, err := proxy.FromEnvironment(proxyVariable)
	if name, text := proxyFlag(o); name != "" {
		rules.Proxies, err = nil, nil
		if text != "" {
			via, err := proxy.Parse(asciiProxy(text))
			if err != nil {
				return rules, fmt.Errorf("--%s: %w", name, err)
			}
			rules.Proxies = map[string]*url.URL{proxy.All: via}
		}
		if name == "proxy1.0" && !anyOf(rules.Proxies, "http", "https") {
			return rules, errors.New("--proxy1.0 is for an HTTP proxy: use -x URL for another")
		}
	}
	if o.Route.UnixSocket != "" { // curl uses no proxy with a socket, either
		rules, err = proxy.Rules{}, nil
	}
	if err != nil {
		return rules, err
	}
	if rules.First, err = parseFirst(o.Proxy.First); err != nil {
		return rules, err
	}
	if given("proxy-user") && len(rules.Proxies) == 0 {
		return rules, errors.New("-U is for a proxy, and there is none: use -x URL")
	}
	for _, name := range []string{"proxytunnel", "proxy-basic", "proxy-digest", "proxy-ntlm", "proxy-anyauth"} {
		if given(name) && !anyOf(rules.Proxies, "http", "https") {
			return rules, fmt.Errorf("--%s is for an HTTP proxy, and there is none: use -x URL", name)
		}
	}
	for _, name := range []string{"proxy-cacert", "proxy-cert", "proxy-key", "proxy-insecure"} {
		if given(name) && !anyOf(rules.Proxies, "https") {
			return rules, fmt.Errorf("--%s is for an https proxy, and there is none: use -x https://HOST", name)
		}
	}
	if o.IsSet("noproxy") {
		rules.Except = asciiHosts(o.Proxy.NoProxy)
	}
	if o.Proxy.User != "" {
		name, password, set := strings.Cut(o.Proxy.User, ":")
		rules = rules.WithUser(&url.Userinfo{Name: name, Password: password, PasswordSet: set})
	}
	return rules, nil
}

// proxyVariable returns a variable of the environment with its hosts in ASCII.
func proxyVariable(name string) string {
	value := os.Getenv(name)
	if strings.EqualFold(name, "no_proxy") {
		return asciiHosts(value)
	}
	return asciiProxy(value)
}

// asciiProxy returns the text of a proxy's URL, which may have no scheme, with its host in
// ASCII. A host that has no such form stays as it is, and proxy.Parse refuses it.
func asciiProxy(text string) string {
	scheme, rest := "", text
	if before, after, found := strings.Cut(text, "://"); found {
		scheme, rest = before+"://", after
	}
	authority, err := idn.Reference("//"+rest, "http")
	if err != nil {
		return text
	}
	return scheme + strings.TrimPrefix(authority, "//")
}

// asciiHosts returns a list of hosts, as --noproxy has it, with the names in ASCII.
func asciiHosts(list string) string {
	hosts := strings.FieldsFunc(list, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	for i, host := range hosts {
		rest := strings.TrimPrefix(strings.TrimPrefix(host, "*"), ".")
		name, _, _ := strings.Cut(rest, ":") // of an address with colons each part is ASCII
		hosts[i] = strings.TrimSuffix(host, rest) + hostOf(name) + strings.TrimPrefix(rest, name)
	}
	return strings.Join(hosts, ",")
}

// parseFirst returns the proxy of --preproxy, or nil for none. Without a scheme it is one of
// SOCKS4, as for curl.
func parseFirst(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(text, "://") {
		text = "socks4://" + text
	}
	first, err := proxy.Parse(asciiProxy(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("--preproxy: %w", err)
	case !strings.HasPrefix(first.Scheme, "socks"):
		return nil, fmt.Errorf("--preproxy wants a SOCKS proxy, not one of %s: give that to -x", first.Scheme)
	}
	return first, nil
}

// proxyFlag returns the flag that names a proxy, and its value; "" without one.
func proxyFlag(o *option.Options) (name, text string) {
	switch {
	case o.IsSet("proxy1.0"):
		return "proxy1.0", o.Proxy.URL10
	case o.IsSet("proxy"):
		return "proxy", o.Proxy.URL
	}
	return "", ""
}

// anyOf reports whether there is a proxy of one of some schemes.
func anyOf(proxies map[string]*url.URL, schemes ...string) bool {
	for _, via := range proxies {
		if via != nil && slices.Contains(schemes, via.Scheme) {
			return true
		}
	}
	return false
}

// proxyTLS returns the settings for TLS with https proxies; nil are the usual ones. servers are the
// settings for servers: their authorities and lowest version hold for proxies too, unless flags for
// proxies set others. The certificate for servers is not shown to proxies, and that for proxies not
// to servers.
func proxyTLS(ctx context.Context, o option.Proxy, servers *tls.Config) (*tls.Config, error) {
	if servers == nil && o.CACert == "" && o.Cert == "" && !o.Insecure {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12}
	if servers != nil {
		c.RootCAs, c.MinVersion = servers.RootCAs, servers.MinVersion
	}
	if err := trust(ctx, c, o.CACert); err != nil {
		return nil, err
	}
	return c, show(ctx, c, o.Cert, o.Key)
}

// proxyLogins returns the methods of a login at HTTP proxies; nil is Basic, sent before a 407.
func proxyLogins(o option.Proxy) []string {
	if !o.Digest && !o.NTLM && !o.AnyAuth {
		return nil
	}
	return webLogins(option.Logins{Basic: o.Basic, Digest: o.Digest, NTLM: o.NTLM, AnyAuth: o.AnyAuth})
}

// tellProxies reports the proxies that the environment names, if they can be read.
func tellProxies(s *term.Streams) {
	var found []string
	_, err := proxy.FromEnvironment(func(name string) string {
		value := os.Getenv(name)
		if value != "" {
			found = append(found, name)
		}
		return value
	})
	if err != nil {
		return
	}
	for _, name := range found {
		meaning := "proxy"
		if strings.EqualFold(name, "no_proxy") {
			meaning = "no proxy for"
		}
		s.Remark("%s %s from %s", meaning, url.Redact(os.Getenv(name)), name)
	}
}
