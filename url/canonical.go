package url

import "strings"

// Canonical returns the form that all spellings of u share (RFC 1630: the same encoding level). It
// omits the default port and an empty fragment, writes an empty path as "/" where the scheme has
// one, writes escapes in upper case, and decodes the escapes of characters that need none.
//
// Canonical keeps the escape of a reserved character, since the raw character may mean something
// else. It also keeps escapes of "*" and "!", of "+" in a query, and those in an element that would
// become "." or "..". It removes nothing from a path. If the scheme of u does not allow u, it does
// not allow the canonical form either.
func (u *URL) Canonical() *URL {
	v := *u
	if v.Port == u.DefaultPort() {
		v.Port = 0
	}
	plain := inUserinfo // of RFC 1738, and of schemes like those
	switch u.Scheme {
	case "urn":
		plain = 0 // RFC 8141, section 3.1
	case "data", "mailto", "mid", "cid":
		plain = inName // the comma is a delimiter
	default:
		if s := u.rules(); s.names == "" || s.added {
			plain = inName // RFC 3986, section 2.3
		}
	}
	v.Path = levelPath(repair(u.Path), plain)
	v.Query = level(repair(u.Query), plain, "*!+")
	v.Fragment = ""
	if len(u.Fragment) > len("#") {
		v.Fragment = "#" + level(repair(u.Fragment[1:]), plain, "*!+")
	}
	v.canonicalPath(u, plain)
	return &v
}

// Equal reports whether u and v name the same object: whether their canonical forms are the same,
// apart from the fragment, which is not part of the name, and from the components of a urn (RFC
// 8141, section 3). A nil URL is equal only to another nil URL.
func (u *URL) Equal(v *URL) bool {
	if u == nil || v == nil {
		return u == v
	}
	return u.object() == v.object()
}

func (u *URL) object() string {
	v := u.Canonical()
	v.Fragment = ""
	if v.Scheme == "urn" {
		v.Path, _ = cutBefore(v.Path, '?')
	}
	return v.String()
}

// canonicalPath applies the rules of the scheme to the path of v, a copy of u that Canonical
// returns.
func (v *URL) canonicalPath(u *URL, plain set) {
	switch v.Scheme {
	case "ftp", "ftps":
		// A semicolon in a name is escaped: ";%74ype=a" is not a type code.
		path, suffix := cutType(u.Path)
		v.Path = levelPath(strings.ReplaceAll(repair(path), ";", "%3B"), plain) + strings.ToLower(repair(suffix))
	case "gopher", "gophers":
		if g, err := u.Gopher(); err == nil { // RFC 1738 reserves no character
			v.Path = g.URL().Path
		}
	case "wais":
		if w, err := u.WAIS(); err == nil { // any byte may be escaped
			w.Length = 0
			x := w.URL()
			v.Path, v.Query = x.Path, x.Query
		}
	case "z39.50r", "z39.50s":
		if z, err := u.Z3950(); err == nil {
			x := z.URL()
			v.Path, v.Query = x.Path, x.Query
		}
	case "news", "snews":
		v.Path = strings.NewReplacer("%2A", "*", "%21", "!").Replace(v.Path)
		if v.Host != "" && (v.Path == "" || v.Path == "/") {
			v.Path = "/*" // RFC 5538, section 4
		}
	case "file":
		if v.Host == "localhost" {
			v.Host = ""
		}
	case "urn":
		if n, err := u.URN(); err == nil {
			v.Path = level(n.URL().Path, 0, "")
		}
	}
	switch v.Scheme {
	case "ftp", "ftps", "sftp", "scp", "s3", "http", "https", "gemini", "file", "telnet", "telnets", "rlogin", "tn3270":
		if v.Path == "" && v.Slashes {
			v.Path = "/"
		}
	default:
		if s := u.rules(); s.added && s.dots && v.Path == "" && v.Slashes { // RFC 3986, section 6.2.3
			v.Path = "/"
		}
	}
}

// levelPath applies level to each element of a path. An element that decodes to "." or ".." keeps
// its escapes, since Resolve would remove the decoded form.
func levelPath(path string, plain set) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for rest, more := path, true; more; {
		var element string
		element, rest, more = strings.Cut(rest, "/")
		l := level(element, plain, "*!")
		if l == "." || l == ".." {
			l = level(element, 0, "")
		}
		b.WriteString(l)
		if more {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// level decodes the escapes of bytes that are in plain and not in but, and writes the other escapes
// in upper case.
func level(s string, plain set, but string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !isEscape(s, i) {
			b = append(b, s[i])
			continue
		}
		c := hexValue(s[i+1])<<4 | hexValue(s[i+2])
		if sets[c]&plain != 0 && strings.IndexByte(but, c) < 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
		i += 2
	}
	return string(b)
}
