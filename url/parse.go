package url

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Parse parses a URL. It accepts URLs as people type them: characters that RFC 1738 calls unsafe
// are escaped rather than refused. Ambiguous text is an error: a host written as a number, a second
// "@", a backslash before the path, a "%" without two hexadecimal digits.
//
// The error is an [*Error]. Parse does not check rules of a single scheme, such as the type code of
// ftp; [URL.FTP] and similar methods do.
func Parse(s string) (*URL, error) { return (*Syntax)(nil).Parse(s) }

// Parse is like the function [Parse], and also knows the schemes of x. The URL keeps x, so that its
// methods know the scheme, and so do the URLs that its Resolve returns.
func (x *Syntax) Parse(s string) (*URL, error) {
	if err := checkBytes(s); err != nil {
		return nil, err
	}
	name, rest, ok := cutScheme(s)
	if !ok {
		return nil, errorf(0, "no scheme, and no base to be relative to")
	}
	if at := badScheme(name); at >= 0 {
		return nil, errorf(at, "bad scheme")
	}
	u := &URL{Scheme: strings.ToLower(name), syntax: x}
	rules := u.rules()

	rest, u.Fragment = cutBefore(rest, '#')
	switch {
	case strings.HasPrefix(rest, "//") && rules.authority != Never:
		n := strings.IndexAny(rest[2:], "/?")
		if n < 0 {
			n = len(rest) - 2
		}
		authority := rest[2 : 2+n]
		at := len(name) + len("://")
		if rest = rest[2+n:]; hidesHost(rest, rules) {
			return nil, errorf(at+n, `"?" before the path`)
		}
		u.Slashes = true
		if err := u.parseAuthority(authority, at, rules.user); err != nil {
			return nil, err
		}
		if u.Host == "" && (rules.authority == Required && u.Scheme != "file" || u.User != nil || u.Port != 0) {
			return nil, errorf(at, "no host")
		}
	case u.Scheme == "file" && strings.HasPrefix(rest, "/"):
		u.Slashes = true // RFC 8089: file:/x is file:///x
	case rules.authority == Required:
		return nil, errorf(len(name)+1, `no "//" after the scheme`)
	}
	if rules.query {
		rest, u.Query = cutBefore(rest, '?')
	}
	u.Path = repair(rest)
	u.Query = repair(u.Query)
	if u.Fragment != "" {
		u.Fragment = "#" + repair(u.Fragment[1:])
	}
	return u, nil
}

// hidesHost reports whether rest, the text after an authority, begins with a question mark that
// another program might read as part of a user name. In a?b:p@h, RFC 1738 finds a user at the host
// h, and RFC 3986 the host a.
func hidesHost(rest string, rules scheme) bool {
	if !strings.HasPrefix(rest, "?") {
		return false
	}
	beforeSlash, _, _ := strings.Cut(rest, "/")
	return !rules.query || strings.Contains(beforeSlash, "@")
}

// parseAuthority reads user:password@host:port. The text begins at byte at of the URL.
func (u *URL) parseAuthority(s string, at int, user bool) error {
	if i := strings.IndexByte(s, '\\'); i >= 0 {
		return errorf(at+i, "backslash before the path")
	}
	if who, where, ok := strings.Cut(s, "@"); ok {
		if !user {
			return errorf(at, "%s URLs name no user", u.Scheme)
		}
		if i := strings.IndexByte(where, '@'); i >= 0 {
			return errorf(at+len(who)+1+i, `a second "@"`)
		}
		u.User = parseUserinfo(who)
		at += len(who) + 1
		s = where
	}
	host, port := s, ""
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return errorf(at, `"[" without "]"`)
		}
		host, port = s[:end+1], s[end+1:]
		if port != "" && port[0] != ':' {
			return errorf(at+end+1, `expected ":" after "]"`)
		}
	} else if i := strings.IndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i:]
	}
	var err error
	if u.Host, err = parseHost(host, at); err != nil {
		return err
	}
	u.Port, err = parsePort(port, at+len(host))
	return err
}

func parseUserinfo(s string) *Userinfo {
	name, password, set := strings.Cut(s, ":")
	return &Userinfo{Name: unescape(name), Password: unescape(password), PasswordSet: set}
}

// parsePort reads ":digits". A colon without digits means the default port (RFC 3986, section
// 3.2.3).
func parsePort(s string, at int) (uint16, error) {
	if len(s) <= 1 {
		return 0, nil
	}
	for i := 1; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, errorf(at+i, "bad port")
		}
	}
	n, err := strconv.ParseUint(s[1:], 10, 16)
	if err != nil || n == 0 {
		return 0, errorf(at+1, "bad port: not between 1 and 65535")
	}
	return uint16(n), nil
}

// parseHost reads a name, an IPv4 address or an IPv6 address in brackets. It allows underscores and
// a final dot, since such names exist.
func parseHost(s string, at int) (string, error) {
	if len(s) > 254 {
		return "", errorf(at, "bad host: longer than a name can be")
	}
	if strings.HasPrefix(s, "[") {
		text, zone, zoned := strings.Cut(s[1:len(s)-1], "%25") // RFC 6874
		addr, err := netip.ParseAddr(text)
		if err != nil || !addr.Is6() || addr.Zone() != "" || zoned && (zone == "" || escape(zone, inUserinfo) != zone) {
			return "", errorf(at, "bad IPv6 address")
		}
		return addr.WithZone(zone).String(), nil
	}
	label := 0 // start of the current label
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != '.' {
			if c := s[i]; c >= 0x80 {
				return "", errorf(at+i, "bad host: not ASCII (write its xn-- form)")
			} else if !isAlphanumeric(c) && c != '-' && c != '_' {
				return "", errorf(at+i, "bad host: %q in it", c)
			}
			continue
		}
		final := i == len(s) // an empty last label follows a final dot
		switch l := s[label:i]; {
		case l == "" && (!final || i == 1):
			return "", errorf(at+label, "bad host: empty label")
		case len(l) > 63:
			return "", errorf(at+label, "bad host: label longer than 63")
		case l != "" && (l[0] == '-' || l[len(l)-1] == '-'):
			return "", errorf(at+label, `bad host: label begins or ends with "-"`)
		}
		if !final {
			label = i + 1
		}
	}
	if looksNumeric(strings.TrimSuffix(s, ".")) {
		if addr, err := netip.ParseAddr(s); err != nil || !addr.Is4() {
			return "", errorf(at, "bad address: not four decimal numbers")
		}
	}
	return strings.ToLower(s), nil
}

// looksNumeric reports whether some program would read host as an address: its last label is a
// decimal or hexadecimal number. Programs disagree about the forms of inet_aton (127.1, 0x7f000001,
// 010.0.0.1).
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if len(last) >= 2 && last[0] == '0' && (last[1] == 'x' || last[1] == 'X') {
		return true
	}
	return isDigits(last)
}

// badScheme returns the offset of the first character that a scheme name cannot have, or -1.
func badScheme(name string) int {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if isLetter(c) || i > 0 && (isAlphanumeric(c) || c == '+' || c == '-' || c == '.') {
			continue
		}
		return i
	}
	if name == "" {
		return 0
	}
	return -1
}

// cutScheme splits s at the colon that ends a scheme. That is the first colon, if no slash (RFC
// 1630, partial form), question mark or number sign precedes it.
func cutScheme(s string) (name, rest string, ok bool) {
	i := strings.IndexAny(s, ":/?#")
	if i < 0 || s[i] != ':' {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// cutBefore splits s before the first c.
func cutBefore(s string, c byte) (before, from string) {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// ErrMalformed is the class of every Error. Use it with errors.Is.
var ErrMalformed = errors.New("malformed URL")

// An Error tells why and where a text is not a valid URL. Its class is ErrMalformed. It does not
// contain the text, which may hold a password.
type Error struct {
	Pos    int // byte offset of the fault; -1 if unknown
	Reason string
}

func (e *Error) Error() string {
	if e.Pos < 0 {
		return "malformed URL: " + e.Reason
	}
	return fmt.Sprintf("malformed URL: %s (at byte %d)", e.Reason, e.Pos)
}

// Is reports whether target is ErrMalformed.
func (e *Error) Is(target error) bool { return target == ErrMalformed }

func errorf(pos int, format string, args ...any) *Error {
	return &Error{Pos: pos, Reason: fmt.Sprintf(format, args...)}
}
