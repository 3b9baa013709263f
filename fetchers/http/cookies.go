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

// The limits of a Jar, which are those of browsers.
const (
	maxSiteCookies = 180 // of a registered domain and all below it
	maxCookies     = 3000
)

// A Jar holds cookies. Its zero value is empty and ready to use; a nil *Jar takes
// none. It may be used by many goroutines at once.
//
// Which host may set and get which cookie is for net/http/cookiejar to say, with
// the public suffix list. A cookiejar can be neither listed nor bounded, so each
// is only asked one question and thrown away; the cookies are kept here.
//
// A Jar keeps no more than 180 cookies of a registered domain and 3000 in all. A cookie
// without the Secure attribute gives way before one with it, so that a server of http, and
// whoever poses as one, neither removes nor replaces a Secure cookie.
type Jar struct {
	mu      sync.Mutex
	cookies []kept // the oldest first
	uses    int64
}

// A kept is a cookie in a Jar.
type kept struct {
	Cookie
	used   int64 // Jar.uses when it was last set or sent
	loaded bool  // from a file, and not set by a server since
}

// Cookies returns the cookies, the oldest first.
func (j *Jar) Cookies() []Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	cookies := make([]Cookie, len(j.cookies))
	for i, c := range j.cookies {
		cookies[i] = c.Cookie
	}
	return cookies
}

// Receive takes the Set-Cookie fields of an answer from u, and none if that is nil.
func (j *Jar) Receive(u *url.URL, fields []string) {
	if u != nil {
		j.receive(u, fields, protected(u))
	}
}

// receive is Receive of an answer that came by TLS or from this machine, if it is secure.
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

// Field returns the Cookie field of a request for u, or "", as for a nil URL.
func (j *Jar) Field(u *url.URL) string {
	if u == nil {
		return ""
	}
	return j.field(u, protected(u), nil)
}

// field is Field of a request that goes by TLS or to this machine, if it is secure. own are
// cookies of the caller, which come last. Of two with the same name, one that a server has set
// goes before that of the caller, and the caller's before one from a file.
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

// isNamed returns a function that reports whether a pair NAME=VALUE has a name.
func isNamed(name string) func(pair string) bool {
	return func(pair string) bool {
		own, _, _ := strings.Cut(pair, "=")
		return strings.TrimRight(own, " \t") == name
	}
}

// cookiePairs returns the pairs NAME=VALUE of fields Cookie.
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

// put adds c in the place of the cookie it replaces, or as the newest. An expired
// cookie replaces the old one with nothing.
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

// bound drops cookies until there are not too many, in all and of one site.
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

// precedence says how soon c is dropped if there are too many cookies: the lowest first, and
// of equals the one that was not used for longest (RFC 6265bis, section 5.7). That a Secure
// cookie comes last also where there are too many in all is stricter than the RFC; browsers
// do the same.
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

// shields reports whether there is a Secure cookie that c, which came without
// TLS, would replace or stand before (RFC 6265bis, section 5.7).
func (j *Jar) shields(c *Cookie) bool {
	return slices.ContainsFunc(j.cookies, func(old kept) bool {
		return old.Secure && old.Name == c.Name && (within(c.Domain, old.Domain) || within(old.Domain, c.Domain)) &&
			pathMatches(c.Path, old.Path)
	})
}

// pathMatches reports whether a path is that of a cookie or below it (RFC 6265, section
// 5.1.4).
func pathMatches(path, cookie string) bool {
	rest, ok := strings.CutPrefix(path, cookie)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(cookie, "/"))
}

// settle completes c, which host has set with that Domain attribute, and reports
// whether it may. It is HostOnly if a host below does not get it.
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

// newRules returns an empty jar that knows the rules.
func newRules() *cookiejar.Jar {
	rules, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // the error is always nil
	return rules
}

// location is what a cookiejar wants to know about a URL: host and path. The path
// is not decoded, since RFC 6265 compares what is on the request line. That the
// scheme fits is checked before, since a cookiejar has its own view of localhost.
func location(host, path string) *neturl.URL {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if path == "" {
		path = "/"
	}
	return &neturl.URL{Scheme: "https", Host: host, Path: path}
}

// hostOf returns the host of u as the public suffix list has it: in lower case,
// without a final dot.
func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Host), ".") }

// protected reports whether nobody reads along on the way to u: by https, or on this machine,
// by its addresses and the names that RFC 6761, section 6.3 keeps for it. Browsers trust both
// with Secure cookies.
func protected(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	host := hostOf(u)
	addr, err := netip.ParseAddr(host)
	return u.Scheme == "http" && (within(host, "localhost") || err == nil && addr.Unmap().IsLoopback())
}

// within reports whether host is domain or below it.
func within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// site returns the part of host that somebody has registered.
func site(host string) string {
	if registered, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return registered
	}
	return host
}

// present adds the cookies for r to those of the caller, unless the caller wants none. r is
// secure if nobody reads along on its way.
func (j *Jar) present(added nethttp.Header, r *nethttp.Request, secure bool) {
	own, given := r.Header["Cookie"]
	if j == nil || given && own == nil {
		return
	}
	if field := j.field(addressed(r), secure, cookiePairs(own)); field != "" {
		added.Set("Cookie", field)
	}
}

// learn takes the cookies of an answer, which may be a refusal.
func (j *Jar) learn(resp *nethttp.Response, secure bool) {
	fields := resp.Header["Set-Cookie"]
	if j != nil && len(fields) > 0 {
		j.receive(addressed(resp.Request), fields, secure)
	}
}

// protects reports whether nobody reads along on the way of r by h: by TLS, or on this machine.
func (f *Fetcher) protects(r *nethttp.Request, h *hop) bool {
	u := asked(r)
	return u.Scheme == "https" || f.RoundTripper == nil && h == nil && protected(u) && protected(addressed(r)) && f.Network.IsLocal(u)
}

// addressed returns the URL whose cookies r gets and sets: as asked, but at the host that the
// caller names in a field Host. It has no scheme, and so no cookies, if that is no host.
func addressed(r *nethttp.Request) *url.URL {
	u := asked(r)
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

// asked returns the URL that r asks a server for, without its query. What a proxy
// gets for us by another protocol is no http URL, and has neither cookies nor HSTS.
func asked(r *nethttp.Request) *url.URL {
	if r.URL.Opaque != "" && r.URL.Path == "" { // else it is the RequestTarget
		return new(url.URL)
	}
	return &url.URL{
		Scheme:    r.URL.Scheme,
		Slashes:   true,
		Authority: url.Authority{Host: strings.ToLower(r.URL.Hostname())},
		Path:      r.URL.EscapedPath(),
	}
}
