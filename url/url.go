// Package url parses Uniform Resource Locators as RFC 1738 and RFC 1630 define them. It never uses
// the network.
//
// [Parse] finds the parts that all schemes share; [ParseStrict] accepts only URLs that RFC 1738
// allows. A method for each family of schemes, such as [URL.FTP], then reads the protocol's own
// parts; the type that it returns has a URL method for the opposite direction. [URL.Resolve]
// resolves relative references, [URL.Canonical] and [URL.Equal] compare URLs, and [FromText] finds
// URLs in running text. [FromNet] and [URL.ToNet] convert from and to package net/url.
//
// A URL represents bytes, not characters: decoded parts are Go strings that need not be UTF-8. In
// ftp, file, gopher and news URLs a question mark is data. An escaped slash is never a separator.
// An empty user differs from no user. Undecoded parts are kept as written, so that no part is
// decoded twice.
package url

import (
	"net"
	"strconv"
	"strings"
)

// A URL is a parsed URL. The zero value is empty and names no resource.
type URL struct {
	Scheme string // in lower case

	// Slashes is true if "//" and an Authority follow the scheme.
	Slashes bool
	Authority

	// Path is the text after the authority, or after the colon if there is no authority, up to
	// Query and Fragment. It is as written: still escaped, and with its leading slash.
	Path string

	// Query and Fragment are as written and begin with their "?" and "#", so that an empty one
	// differs from none. Only some schemes have a Query; in the others a question mark is part of
	// the Path. A Fragment is for the client and is never sent.
	Query, Fragment string

	syntax *Syntax // the Syntax that parsed u; nil for that of Parse
	secret bool    // Redacted masks the Query
}

// An Authority names a user and a server (RFC 1738, section 3.1).
type Authority struct {
	User *Userinfo // nil if the URL has no user
	Host string    // in lower case; an IPv6 address without its brackets
	Port uint16    // 0 if not given
}

// A Userinfo is a user name with or without a password, both decoded. Either may be empty.
type Userinfo struct {
	Name        string
	Password    string
	PasswordSet bool // distinguishes an empty password from none
}

// Addr returns host:port for a connection, with the default port of the scheme if the URL has none.
// It is "" for a URL without a host, and has port 0 for a scheme without a port.
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

// SameOrigin reports whether u and v have the same scheme, host and port, so that a client may send
// the same credentials to both. It is false if one of them is nil.
func (u *URL) SameOrigin(v *URL) bool {
	return u != nil && v != nil && u.Scheme == v.Scheme && u.Host == v.Host && u.PortOrDefault() == v.PortOrDefault()
}

// Unescape decodes each %XX of a part that is kept as written, such as Path. It is for schemes that
// this package does not read further. The result may hold any byte, also CR and LF.
func Unescape(part string) string { return unescape(part) }

// String returns the text of u. Parsing that text yields an equal URL. The text of a nil URL is
// empty.
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

// hostText adds the brackets of an IPv6 address and escapes the "%" of its zone (RFC 6874).
func hostText(host string) string {
	if !strings.Contains(host, ":") {
		return host
	}
	return "[" + strings.Replace(host, "%", "%25", 1) + "]"
}
