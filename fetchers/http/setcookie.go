package http

import (
	"strconv"
	"strings"
	"time"
)

// What a cookie may hold, which is what browsers take.
const (
	maxCookie    = 4096 // bytes of name and value
	maxAttribute = 1024 // bytes of a path
	maxCookieAge = 400 * 24 * time.Hour
)

// A Cookie is what a Jar keeps of a Set-Cookie field (RFC 6265, section 5.3).
type Cookie struct {
	Name, Value string

	// Domain is in lower case. Unless HostOnly, the hosts below it get the
	// cookie as well.
	Domain   string
	HostOnly bool
	Path     string

	Secure, HTTPOnly bool

	Expires time.Time // zero for a cookie that ends with the session
}

func (c *Cookie) expired(now time.Time) bool { return !c.Expires.IsZero() && !c.Expires.After(now) }

// readCookie reads a Set-Cookie field (RFC 6265, section 5.2) and returns its
// Domain attribute beside it, unjudged. net/http's own reader would refuse values
// that servers do send, such as JSON.
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
		case "max-age": // comes before Expires, wherever it stands
			if age, ok := maxAge(value); ok {
				c.Expires, aged = now.Add(age), true
			}
		}
	}
	if latest := now.Add(maxCookieAge); c.Expires.After(latest) {
		c.Expires = latest
	}
	// Prefixes of a name are promises (RFC 6265bis, section 4.1.3).
	prefix := strings.ToLower(c.Name)
	if strings.HasPrefix(prefix, "__secure-") && !c.Secure ||
		strings.HasPrefix(prefix, "__host-") && (!c.Secure || domain != "" || c.Path != "/") {
		return c, "", false
	}
	return c, domain, true
}

// maxAge reads a Max-Age attribute: digits, which may have a "-" before them, and be more
// than any integer holds (RFC 6265, section 5.2.2). What is not positive has passed.
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

// valid reports whether name and value can be in a Cookie field, and in a file.
func (c *Cookie) valid() bool {
	return c.Name != "" && !strings.ContainsAny(c.Name, "=;") && !strings.Contains(c.Value, ";") &&
		len(c.Name)+len(c.Value) <= maxCookie && !hasControl(c.Name+c.Value)
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F })
}

// defaultPath is the path of a cookie that names none (RFC 6265, section 5.1.4).
func defaultPath(path string) string {
	if last := strings.LastIndexByte(path, '/'); last > 0 {
		return path[:last]
	}
	return "/"
}
