package proxy

import (
	"maps"
	"net/netip"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// All is the key of Rules.Proxies for schemes without their own proxy.
const All = "all"

// Rules define the proxy for each URL. The zero Rules define none.
type Rules struct {
	// Proxies maps a scheme, or All, to its proxy, as Parse returns it. A nil proxy means a direct
	// connection.
	Proxies map[string]*url.URL

	// First is the proxy, as Parse returns it, through which all other proxies are reached, and all
	// servers without a proxy. It is a SOCKS proxy, or nil.
	First *url.URL

	// Except lists the hosts that are reached without a proxy, for all schemes, separated by commas
	// or white space, as in no_proxy:
	//
	//	example.org    the host and its subdomains; .example.org is the same
	//	*.example.org  only its subdomains
	//	192.0.2.7      an address; IPv6 with or without brackets
	//	192.0.2.0/24   a range of addresses
	//	host:8080      any of these except a range, with this port only
	//	*              all hosts
	//
	// Names are not resolved: an address applies to a URL with an address. An element that cannot
	// be parsed is ignored.
	Except string
}

// For returns the proxy for u, or nil. Loopback addresses are no exception. There is no proxy for a
// file, a URL without a host, or a nil URL.
func (r Rules) For(u *url.URL) *url.URL {
	if u == nil || u.Host == "" || u.Scheme == "file" || r.excepts(u) {
		return nil
	}
	if via, ok := r.Proxies[u.Scheme]; ok {
		return via
	}
	if via, ok := r.Proxies[All]; ok {
		return via
	}
	return r.First
}

// Gateway returns the proxy for u if it is an HTTP proxy that fetches u itself. It is for the Proxy
// of an http.Fetcher.
func (r Rules) Gateway(u *url.URL) *url.URL {
	if via := r.For(u); isHTTP(via) && !tunnelled(u.Scheme) {
		return via
	}
	return nil
}

func isHTTP(via *url.URL) bool {
	return via != nil && (via.Scheme == "http" || via.Scheme == "https")
}

// WithUser returns a copy of r, with who as the user of every proxy except First.
func (r Rules) WithUser(who *url.Userinfo) Rules {
	r.Proxies = maps.Clone(r.Proxies)
	for scheme, via := range r.Proxies {
		if via != nil {
			u := *via
			u.User = who
			r.Proxies[scheme] = &u
		}
	}
	return r
}

// excepts reports whether Except contains u.
func (r Rules) excepts(u *url.URL) bool {
	separator := func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) }
	for _, e := range strings.FieldsFunc(r.Except, separator) {
		if covers(strings.ToLower(e), u) {
			return true
		}
	}
	return false
}

// covers reports whether the element e of Except, in lower case, applies to u.
func covers(e string, u *url.URL) bool {
	host, port := cutPort(e)
	if port != "" && port != strconv.Itoa(int(u.PortOrDefault())) {
		return false
	}
	if host == "*" {
		return true
	}
	if addr, err := netip.ParseAddr(u.Host); err == nil {
		addr = addr.WithZone("").Unmap()
		if prefix, err := netip.ParsePrefix(host); err == nil {
			return prefix.Contains(addr)
		}
		only, err := netip.ParseAddr(host)
		return err == nil && only.WithZone("").Unmap() == addr
	}
	name := strings.TrimSuffix(u.Host, ".")
	host = strings.TrimSuffix(host, ".")
	parent, below := strings.CutPrefix(host, "*.")
	if !below {
		parent = strings.TrimPrefix(host, ".")
	}
	return parent != "" && (strings.HasSuffix(name, "."+parent) || name == parent && !below)
}

// cutPort splits an element into host and port, and removes the brackets of an IPv6 address.
func cutPort(e string) (host, port string) {
	if rest, ok := strings.CutPrefix(e, "["); ok {
		host, port, _ = strings.Cut(rest, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	if strings.Count(e, ":") == 1 {
		host, port, _ = strings.Cut(e, ":")
		return host, port
	}
	return e, ""
}
