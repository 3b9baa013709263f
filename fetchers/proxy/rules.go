package proxy

import (
	"maps"
	"net/netip"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// All is the key of Rules.Proxies for schemes that have none of their own.
const All = "all"

// Rules say which proxy is used for which URL. The zero Rules use none.
type Rules struct {
	// Proxies has a proxy, as Parse returns it, for a scheme, or for All. A
	// nil one is none: the scheme does without.
	Proxies map[string]*url.URL

	// First is the proxy, as Parse returns it, by which all other proxies are reached, and
	// the servers that have no other. It is one of SOCKS, or nil.
	First *url.URL

	// Except lists whom we connect to without a proxy, whatever the scheme,
	// separated by commas or white space, as in no_proxy:
	//
	//	example.org    the host and all below it; .example.org is the same
	//	*.example.org  only what is below it
	//	192.0.2.7      an address; IPv6 with or without brackets
	//	192.0.2.0/24   a range of addresses
	//	host:8080      any of these but a range, with that port only
	//	*              everybody
	//
	// Names are not resolved for this: an address is an exception to a URL
	// that has an address. What cannot be read is no exception.
	Except string
}

// For returns the proxy for u, or nil. Loopback addresses are as good as any
// other. A file has no proxy, and neither has a URL without a host, or a nil one.
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

// Gateway returns the proxy for u if it speaks HTTP, so that it can be asked for
// u itself and not only for a connection. It is for the Proxy of an
// http.Fetcher.
func (r Rules) Gateway(u *url.URL) *url.URL {
	if via := r.For(u); isHTTP(via) && !tunnelled(u.Scheme) {
		return via
	}
	return nil
}

func isHTTP(via *url.URL) bool {
	return via != nil && (via.Scheme == "http" || via.Scheme == "https")
}

// WithUser returns the same Rules, with who as the user of every proxy but the First.
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

// excepts reports whether u is one of the exceptions.
func (r Rules) excepts(u *url.URL) bool {
	separator := func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) }
	for _, e := range strings.FieldsFunc(r.Except, separator) {
		if covers(strings.ToLower(e), u) {
			return true
		}
	}
	return false
}

// covers reports whether one exception, in lower case, is about u.
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

// cutPort slices an exception in two before its port, and takes the brackets off
// an IPv6 address.
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
