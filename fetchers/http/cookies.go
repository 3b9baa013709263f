package http

import (
	"cmp"
	nethttp "net/http"
	"net/http/cookiejar"
	"net/netip"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/seed1ea3422f/fetch/url"
)

// The limits of a Jar are those of browsers.
const (
	maxSiteCookies = 180 // of a registered domain and all its subdomains
	maxCookies     = 3000
)

// A Jar holds cookies. Its zero value is empty and ready to use; a nil *Jar stores no cookies. A
// Jar is safe for concurrent use.
//
// net/http/cookiejar, with the public suffix list, decides which host may set and receive a cookie.
// A cookiejar can be neither listed nor bounded. Therefore each decision uses a new cookiejar, and
// the Jar itself stores the cookies.
//
// A Jar holds at most 180 cookies of a registered domain, and 3000 in all. Beyond these limits it
// drops cookies without the Secure attribute first, so that a server reached by http, or an
// attacker that poses as one, neither removes nor replaces a Secure cookie.
type Jar struct {
	mu      sync.Mutex
	cookies []kept // oldest first
	uses    int64
}

// A kept is a cookie in a Jar.
type kept struct {
	Cookie
	used   int64 // Jar.uses when it was last set or sent
	loaded bool  // from a file, and not set by a server since
}

// Cookies returns the cookies, oldest first.
func (j *Jar) Cookies() []Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	cookies := make([]Cookie, len(j.cookies))
	for i, c := range j.cookies {
		cookies[i] = c.Cookie
	}
	return cookies
}

// Receive stores the cookies of the Set-Cookie fields of a response from u. If u is nil, it does
// nothing.
func (j *Jar) Receive(u *url.URL, fields []string) {
	if u != nil {
		j.receive(u, fields, protected(u))
	}
}

// receive is Receive. secure says that the response came by TLS or from this machine.
func (j *Jar) receive(u *url.URL, fields []string, secure bool) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, field := range fields {
		c, domain, ok := readCookie(field)
		if !ok || !c.settle(hostOf(u), defaultPath(u.Path), domain) {
			continue
		}
		if !secure && (c.Secure || j.shields(&c)) {
			continue
		}
		j.put(c, false)
	}
}

// Field returns the Cookie field of a request for u, or "" if there are no cookies or u is nil.
func (j *Jar) Field(u *url.URL) string {
	if u == nil {
		return ""
	}
	return j.field(u, protected(u), nil)
}

// field is Field. secure says that the request uses TLS or goes to this machine. own are cookies of
// the caller, which come last. If two have the same name, a cookie that a server has set takes
// precedence over the caller's, and the caller's over one from a file.
func (j *Jar) field(u *url.URL, secure bool, own []string) string {
	if u.Scheme != "http" && u.Scheme != "https" {
		return strings.Join(own, "; ")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	host, path, now, rules := hostOf(u), cmp.Or(u.Path, "/"), time.Now(), newRules()
	j.uses++
	for i := range j.cookies {
		c := &j.cookies[i]
		if c.expired(now) || c.Secure && !secure || !within(host, c.Domain) {
			continue
		}
		if c.loaded && slices.ContainsFunc(own, isNamed(c.Name)) {
			continue
		}
		one := &nethttp.Cookie{Name: c.Name, Value: c.Value, Path: c.Path}
		if !c.HostOnly {
			one.Domain = c.Domain
		}
		rules.SetCookies(location(c.Domain, c.Path), []*nethttp.Cookie{one})
		if pathMatches(path, c.Path) {
			c.used = j.uses
		}
	}
	var sent []string
	for _, c := range rules.Cookies(location(host, path)) {
		sent = append(sent, c.Name+"="+c.Value)
		own = slices.DeleteFunc(own, isNamed(c.Name))
	}
	return strings.Join(append(sent, own...), "; ")
}

// isNamed returns a function that reports whether the name of a pair NAME=VALUE is name.
func isNamed(name string) func(pair string) bool {
	return func(pair string) bool {
		own, _, _ := strings.Cut(pair, "=")
		return strings.TrimRight(own, " \t") == name
	}
}

// cookiePairs returns the pairs NAME=VALUE of Cookie fields.
func cookiePairs(fields []string) (pairs []string) {
	for _, field := range fields {
		for pair := range strings.SplitSeq(field, ";") {
			if pair = strings.Trim(pair, " \t"); pair != "" {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// put stores c, in place of the cookie with the same name, domain and path if there is one. An
// expired c removes that cookie.
func (j *Jar) put(c Cookie, loaded bool) {
	now := time.Now()
	same := slices.IndexFunc(j.cookies, func(old kept) bool {
		return old.Name == c.Name && old.Domain == c.Domain && old.Path == c.Path
	})
	j.uses++
	switch {
	case same >= 0 && c.expired(now):
		j.cookies = slices.Delete(j.cookies, same, same+1)
	case same >= 0:
		j.cookies[same] = kept{c, j.uses, loaded}
	case !c.expired(now):
		j.cookies = append(j.cookies, kept{c, j.uses, loaded})
		j.bound(site(c.Domain), now)
	}
}

// bound drops cookies until the limits hold, in all and for site.
func (j *Jar) bound(site string, now time.Time) {
	for {
		count := 0
		for _, c := range j.cookies {
			if within(c.Domain, site) {
				count++
			}
		}
		if count <= maxSiteCookies && len(j.cookies) <= maxCookies {
			return
		}
		first := 0
		order := func(c *kept) int { return c.precedence(site, count > maxSiteCookies, now) }
		for i := range j.cookies {
			c, before := &j.cookies[i], &j.cookies[first]
			if cmp.Or(cmp.Compare(order(c), order(before)), cmp.Compare(c.used, before.used)) < 0 {
				first = i
			}
		}
		j.cookies = slices.Delete(j.cookies, first, first+1)
	}
}

// precedence returns the order in which cookies are dropped: the lowest first, and of equals the
// least recently used (RFC 6265bis, section 5.7). Secure cookies are also the last to be dropped if
// there are too many in all; in this browsers, and this Jar, are stricter than the RFC.
func (c *kept) precedence(site string, crowded bool, now time.Time) int {
	switch crowded = crowded && within(c.Domain, site); {
	case c.expired(now):
		return 0
	case crowded && !c.Secure:
		return 1
	case crowded:
		return 2
	case !c.Secure:
		return 3
	}
	return 4
}

// shields reports whether the Jar has a Secure cookie that c, received without TLS, would replace
// or precede (RFC 6265bis, section 5.7).
func (j *Jar) shields(c *Cookie) bool {
	return slices.ContainsFunc(j.cookies, func(old kept) bool {
		return old.Secure && old.Name == c.Name && (within(c.Domain, old.Domain) || within(old.Domain, c.Domain)) &&
			pathMatches(c.Path, old.Path)
	})
}

// pathMatches reports whether path is, or is below, the path of a cookie (RFC 6265, section 5.1.4).
func pathMatches(path, cookie string) bool {
	rest, ok := strings.CutPrefix(path, cookie)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(cookie, "/"))
}

// settle sets the domain and path of c, which host has set with a Domain attribute, and reports
// whether host may set it. c is HostOnly if subdomains do not receive it.
func (c *Cookie) settle(host, path, domain string) bool {
	if !strings.HasPrefix(c.Path, "/") {
		c.Path = path
	}
	if len(c.Path) > maxAttribute || hasControl(c.Path) {
		return false
	}
	c.Domain = host
	if domain != "" {
		c.Domain = strings.ToLower(strings.TrimPrefix(domain, "."))
	}
	rules := newRules()
	rules.SetCookies(location(host, c.Path), []*nethttp.Cookie{{Name: "c", Path: c.Path, Domain: domain}})
	c.HostOnly = len(rules.Cookies(location("below."+c.Domain, c.Path))) == 0
	return len(rules.Cookies(location(c.Domain, c.Path))) == 1
}

// newRules returns an empty cookiejar, which applies the rules.
func newRules() *cookiejar.Jar {
	rules, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // the error is always nil
	return rules
}

// location returns a URL of host and path for a cookiejar. The path is not decoded, since RFC 6265
// compares the path of the request line. The caller has checked the scheme already, since a
// cookiejar treats localhost differently.
func location(host, path string) *neturl.URL {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if path == "" {
		path = "/"
	}
	return &neturl.URL{Scheme: "https", Host: host, Path: path}
}

// hostOf returns the host of u in lower case and without a final dot, as the public suffix list
// requires.
func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Host), ".") }

// protected reports whether no third party can read the traffic to u: it uses https, or stays on
// this machine, by a loopback address or a name that RFC 6761, section 6.3 reserves for it.
// Browsers send Secure cookies to both.
func protected(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	host := hostOf(u)
	addr, err := netip.ParseAddr(host)
	return u.Scheme == "http" && (within(host, "localhost") || err == nil && addr.Unmap().IsLoopback())
}

// within reports whether host is domain or a subdomain of it.
func within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// site returns the registered domain of host.
func site(host string) string {
	if registered, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return registered
	}
	return host
}

// present adds the cookies for r to those of the caller, unless the caller disabled cookies. secure
// says that no third party can read the request.
func (j *Jar) present(added nethttp.Header, r *nethttp.Request, secure bool) {
	own, given := r.Header["Cookie"]
	if j == nil || given && own == nil {
		return
	}
	if field := j.field(cookieURL(r), secure, cookiePairs(own)); field != "" {
		added.Set("Cookie", field)
	}
}

// learn stores the cookies of a response, whatever its status.
func (j *Jar) learn(resp *nethttp.Response, secure bool) {
	fields := resp.Header["Set-Cookie"]
	if j != nil && len(fields) > 0 {
		j.receive(cookieURL(resp.Request), fields, secure)
	}
}

// protects reports whether no third party can read r, which is sent by h: it uses TLS, or stays on
// this machine.
func (f *Fetcher) protects(r *nethttp.Request, h *hop) bool {
	u := requestURL(r)
	return u.Scheme == "https" || f.RoundTripper == nil && h == nil && protected(u) && protected(cookieURL(r)) && f.Network.IsLocal(u)
}

// cookieURL returns the URL whose cookies r sends and sets: that of r, with the host of the
// caller's Host field. If that field is no host, the URL has no scheme, and so no cookies.
func cookieURL(r *nethttp.Request) *url.URL {
	u := requestURL(r)
	if r.Host == zoneless(r.URL.Host) || u.Scheme == "" {
		return u
	}
	named, err := url.Parse(u.Scheme + "://" + r.Host + "/")
	if err != nil || named.User != nil || named.Host == "" || named.Path != "/" || named.Query+named.Fragment != "" {
		return new(url.URL)
	}
	u.Host = named.Host
	return u
}

// requestURL returns the URL that r requests from an HTTP server, without its query. If a proxy fetches
// the URL by another protocol, the result is empty: neither cookies nor HSTS apply.
func requestURL(r *nethttp.Request) *url.URL {
	if r.URL.Opaque != "" && r.URL.Path == "" { // a Path beside Opaque means that Opaque is the RequestTarget
		return new(url.URL)
	}
	return &url.URL{
		Scheme:    r.URL.Scheme,
		Slashes:   true,
		Authority: url.Authority{Host: strings.ToLower(r.URL.Hostname())},
		Path:      r.URL.EscapedPath(),
	}
}
