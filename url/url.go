// Package url takes a Uniform Resource Locator apart, as RFC 1738 and RFC 1630
// define it. It knows names and never touches a network.
//
// [Parse] finds the parts that all schemes share, and [ParseStrict] does so for
// what RFC 1738 allows only. A method for each family of schemes, such as
// [URL.FTP], then reads the rest in the terms of that protocol, and the type it
// returns has a URL method that goes the other way. [URL.Resolve] reads relative
// references, [URL.Canonical] and [URL.Equal] compare, and [FromText] finds URLs
// in running text. [FromNet] and [URL.ToNet] convert from and to package net/url.
//
// A URL stands for octets, not for characters: decoded parts are Go strings
// that need not be UTF-8. A question mark is data in ftp, file, gopher and news
// URLs; an escaped slash is never a separator; a user that is empty is not the
// same as no user. What is written is kept as it was written, so that nothing
// is decoded twice or merged by accident.
package url

import (
	"net"
	"strconv"
	"strings"
)

// A URL is a parsed URL. Its zero value is empty and names nothing.
type URL struct {
	Scheme string // in lower case

	// Slashes tells that "//" follows the scheme, and with it an Authority.
	Slashes bool
	Authority

	// Path is all that follows the authority, or the colon if there is none,
	// up to Query and Fragment. It is as written, that is, still escaped,
	// and with its leading slash.
	Path string

	// Query and Fragment are as written and begin with their "?" and "#", so
	// that an empty one differs from none. Only some schemes have a Query; in
	// the others a question mark is part of the Path. A Fragment is for the
	// reader of the resource and is never sent.
	Query, Fragment string

	syntax *Syntax // that u was parsed with; nil is that of Parse
	secret bool    // the Query is not shown
}

// An Authority says who asks and which server is meant (RFC 1738, section 3.1).
type Authority struct {
	User *Userinfo // nil if the URL names no user
	Host string    // in lower case; an IPv6 address without its brackets
	Port uint16    // 0 if not given
}

// A Userinfo is a user name with or without a password, both decoded and both
// perhaps empty.
type Userinfo struct {
	Name        string
	Password    string
	PasswordSet bool // tells an empty password from none
}

// Addr returns host:port as needed to connect, with the default port of the
// scheme if the URL has none. It is "" for a URL without a host, and has port 0
// for a scheme without a port.
func (u *URL) Addr() string {
	if u.Host == "" {
		return ""
	}
	return net.JoinHostPort(u.Host, strconv.Itoa(int(u.PortOrDefault())))
}

// PortOrDefault returns the port of u, or the default port of its scheme, or 0.
func (u *URL) PortOrDefault() uint16 {
	if u.Port != 0 {
		return u.Port
	}
	return u.DefaultPort()
}

// SameOrigin reports whether u and v have the same scheme, host and port, so
// that what is said to the server of one may be said to the server of the other. It is false
// if one of them is nil.
func (u *URL) SameOrigin(v *URL) bool {
	return u != nil && v != nil && u.Scheme == v.Scheme && u.Host == v.Host && u.PortOrDefault() == v.PortOrDefault()
}

// Unescape decodes each %XX of a part that is kept as it was written, such as Path.
// It is for schemes that this package does not read further; what comes out may hold
// any octet, CR and LF too.
func Unescape(part string) string { return unescape(part) }

// String returns the URL as text. Parsing that text yields an equal URL. A nil URL
// is no text.
func (u *URL) String() string {
	return u.text(func(b *strings.Builder, password string) { b.WriteString(escape(password, inUserinfo)) })
}

func (u *URL) text(password func(b *strings.Builder, password string)) string {
	if u == nil {
		return ""
	}
	var b strings.Builder
	b.Grow(len("://:@[]:65535") + len(u.Scheme) + len(u.Host) + len(u.Path) + len(u.Query) + len(u.Fragment))
	b.WriteString(u.Scheme)
	b.WriteByte(':')
	if u.Slashes {
		b.WriteString("//")
		if u.User != nil {
			b.WriteString(escape(u.User.Name, inUserinfo))
			if u.User.PasswordSet {
				b.WriteByte(':')
				password(&b, u.User.Password)
			}
			b.WriteByte('@')
		}
		b.WriteString(hostText(u.Host))
		if u.Port != 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(int(u.Port)))
		}
	}
	b.WriteString(u.Path)
	b.WriteString(u.Query)
	b.WriteString(u.Fragment)
	return b.String()
}

// hostText puts an IPv6 address back into brackets and escapes the "%" of its
// zone (RFC 6874).
func hostText(host string) string {
	if !strings.Contains(host, ":") {
		return host
	}
	return "[" + strings.Replace(host, "%", "%25", 1) + "]"
}
