package url

import (
	neturl "net/url"
	"strings"
)

// FromNet converts n to a URL of this package. It reads the text of n by the rules of [Parse], so
// that a question mark in an ftp URL becomes part of the Path.
//
// The error is an [*Error] if Parse does not accept the text of n, or if the text has another host,
// user or query than n. An example is &url.URL{Scheme: "http", Path: "h.dom"}, whose text has a
// host.
// host, user or query than n says, as that of &url.URL{Scheme: "http", Path: "h.dom"} has.
func FromNet(n *neturl.URL) (*URL, error) { return (*Syntax)(nil).FromNet(n) }

// FromNet is like the function [FromNet], and also knows the schemes of x.
func (x *Syntax) FromNet(n *neturl.URL) (*URL, error) {
	switch {
	case n == nil:
		return nil, errorf(-1, "nil")
	case n.Scheme == "":
		return nil, errorf(-1, "no scheme, and no base to be relative to")
	case badScheme(n.Scheme) >= 0:
		return nil, errorf(-1, "bad scheme")
	case n.Opaque != "" && (n.User != nil || n.Host != "" || n.Path != "" || n.Opaque[0] == '/' || strings.Contains(n.Opaque, "?")):
		return nil, errorf(-1, "an opaque part beside an authority or a path")
	case strings.Contains(n.Opaque+n.RawQuery, "#"):
		return nil, errorf(-1, `"#" before the fragment`)
	case strings.ContainsFunc(n.Host, func(r rune) bool { return r >= 0x80 }):
		return nil, errorf(-1, "bad host: not ASCII (write its xn-- form)")
	}
	u, err := x.Parse(n.String())
	if err != nil {
		err.(*Error).Pos = -1 // the caller has not seen the text that Pos refers to
		return nil, err
	}
	if (u.Host == "") != (n.Host == "") || (u.User == nil) != (n.User == nil) {
		return nil, errorf(-1, "its path would be read as a host")
	}
	return u, nil
}

// ToNet converts u to a URL of package net/url. FromNet of u's [Syntax] converts the result back to
// u, except for an empty Fragment, which net/url cannot represent. The error is an [*Error] if
// net/url does not accept u or reads it differently, or if u was built by hand and is not a valid
// URL.
func (u *URL) ToNet() (*neturl.URL, error) {
	if u == nil {
		return nil, errorf(-1, "nil")
	}
	held := *u
	if held.Fragment == "#" {
		held.Fragment = ""
	}
	n, err := neturl.Parse(held.String())
	if err != nil {
		return nil, errorf(-1, "net/url does not accept it") // the error of net/url contains the password
	}
	if back, err := u.syntax.FromNet(n); err != nil || !back.same(&held) {
		return nil, errorf(-1, "net/url reads it as another URL")
	}
	return n, nil
}

// same reports whether u and v have the same parts.
func (u *URL) same(v *URL) bool {
	if (u.User == nil) != (v.User == nil) || u.User != nil && *u.User != *v.User {
		return false
	}
	a, b := *u, *v
	a.User, b.User = nil, nil
	return a == b
}

// JoinPath returns u with elements appended to its path, separated by slashes. Each element is in
// escaped form and may contain slashes. JoinPath escapes a character that would end the path, and a
// "%" that does not begin an escape. Query and Fragment stay unchanged.
//
// Path elements "." and ".." are removed as in [URL.Resolve], and never lead above the root. In a
// gopher URL the elements are appended to the selector. The type code of an ftp URL is dropped. The
// error is an [*Error] if URLs of the scheme have no hierarchy (news, mailto, mid, cid, urn, data).
func (u *URL) JoinPath(elements ...string) (*URL, error) {
	if u.Scheme == "news" || u.Scheme == "snews" {
		return nil, errorf(-1, "%s URLs have no hierarchy", u.Scheme)
	}
	base, last := *u, len(elements)-1
	var below []string
	for i, e := range elements {
		e = strings.TrimLeft(e, "/")
		if i < last {
			e = strings.TrimRight(e, "/")
		}
		if e != "" {
			below = append(below, element(e))
		}
	}
	if len(below) == 0 {
		return &base, nil
	}
	if u.Scheme == "ftp" || u.Scheme == "ftps" {
		base.Path, _ = cutType(base.Path)
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	joined, err := base.Resolve("./" + strings.Join(below, "/"))
	if err != nil {
		return nil, err
	}
	joined.Query, joined.Fragment = u.Query, u.Fragment
	return joined, nil
}

// element returns s with every character escaped that cannot stand in a path.
func element(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '?' || c == '#' || c == '%' && !isEscape(s, i) || sets[c]&inAny == 0:
			b.WriteString(string([]byte{'%', hexDigits[c>>4], hexDigits[c&15]}))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
