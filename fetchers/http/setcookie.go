package http

import (
	"strconv"
	"strings"
	"time"
)

// Limits of a cookie, which are those of browsers.
const (
	maxCookie    = 4096 // bytes of name and value
	maxAttribute = 1024 // bytes of a path
	maxCookieAge = 400 * 24 * time.Hour
)

// A Cookie is a cookie of a Jar (RFC 6265, section 5.3).
type Cookie struct {
	Name, Value string

	// Domain is in lower case. Unless HostOnly is set, its subdomains receive the cookie too.
	Domain   string
	HostOnly bool
	Path     string

	Secure, HTTPOnly bool

	Expires time.Time // zero for a session cookie
}

func (c *Cookie) expired(now time.Time) bool { return !c.Expires.IsZero() && !c.Expires.After(now) }

// readCookie parses a Set-Cookie field (RFC 6265, section 5.2). It also returns the Domain
// attribute, which is not checked yet. The parser of net/http rejects values that servers send,
// such as JSON.
func readCookie(field string) (c Cookie, domain string, ok bool) {
	pair, attributes, _ := strings.Cut(field, ";")
	name, value, ok := strings.Cut(pair, "=")
	c.Name, c.Value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
	if !ok || !c.valid() {
		return c, "", false
	}
	now, aged := time.Now(), false
	for attribute := range strings.SplitSeq(attributes, ";") {
		key, value, _ := strings.Cut(attribute, "=")
		value = strings.Trim(value, " \t")
		switch strings.ToLower(strings.Trim(key, " \t")) {
		case "domain":
			domain = domainOf(value)
		case "path":
			c.Path = value
		case "secure":
			c.Secure = true
		case "httponly":
			c.HTTPOnly = true
		case "expires":
			if t, ok := cookieTime(value); ok && !aged {
				c.Expires = t
			}
		case "max-age": // takes precedence over Expires in any order
			if age, ok := maxAge(value); ok {
				c.Expires, aged = now.Add(age), true
			}
		}
	}
	if latest := now.Add(maxCookieAge); c.Expires.After(latest) {
		c.Expires = latest
	}
	// A name with one of these prefixes guarantees attributes (RFC 6265bis, section 4.1.3).
	prefix := strings.ToLower(c.Name)
	if strings.HasPrefix(prefix, "__secure-") && !c.Secure ||
		strings.HasPrefix(prefix, "__host-") && (!c.Secure || domain != "" || c.Path != "/") {
		return c, "", false
	}
	return c, domain, true
}

// maxAge parses a Max-Age attribute: digits, with an optional "-", which may exceed any integer
// type (RFC 6265, section 5.2.2). Zero or less means that the cookie has expired.
func maxAge(s string) (time.Duration, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	most := int64(maxCookieAge / time.Second)
	seconds, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case negative:
		return 0, true
	case err != nil: // too many digits
		seconds = most
	}
	return time.Duration(min(seconds, most)) * time.Second, true
}

// valid reports whether name and value are allowed in a Cookie field and in a cookie file.
func (c *Cookie) valid() bool {
	return c.Name != "" && !strings.ContainsAny(c.Name, "=;") && !strings.Contains(c.Value, ";") &&
		len(c.Name)+len(c.Value) <= maxCookie && !hasControl(c.Name+c.Value)
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F })
}

// defaultPath returns the path of a cookie without a Path attribute (RFC 6265, section 5.1.4).
func defaultPath(path string) string {
	if last := strings.LastIndexByte(path, '/'); last > 0 {
		return path[:last]
	}
	return "/"
}
