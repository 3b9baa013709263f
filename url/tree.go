package url

import "strings"

// Hierarchical reports whether the slashes in the path of u separate the levels of a hierarchy
// (RFC 3986, section 1.2.3), as in ftp, file and http URLs. An unknown scheme is taken to be
// hierarchical; gopher, news and prospero are not.
func (u *URL) Hierarchical() bool { return u.rules().dots }

// Directory returns u as the URL of a directory: its path ends in a slash, and there is no type
// code, query or fragment. A URL that is not [URL.Hierarchical] has no such form, and
// Directory returns a copy of it.
func (u *URL) Directory() *URL {
	v := *u
	if !u.Hierarchical() {
		return &v
	}
	v.Path, v.Query, v.Fragment = u.untyped(), "", ""
	if !strings.HasSuffix(v.Path, "/") {
		v.Path += "/"
	}
	return &v
}

// Child returns the URL of a file in the directory u. The name is octets that are not escaped.
// A name that is not a single level of the hierarchy is an error: it is empty, "." or "..", or
// has a slash or a NUL.
func (u *URL) Child(name string) (*URL, error) {
	if !u.Hierarchical() {
		return nil, errorf(-1, "%s URLs have no hierarchy", u.Scheme)
	}
	if !isLevel(name) {
		return nil, errorf(-1, "not the name of a file in a directory")
	}
	v := u.Directory()
	v.Path += escape(name, inSegment)
	return v, nil
}

// Holds reports whether v is the directory u or anything below it, at the same origin. Names are
// compared after decoding. Below u, each level has to be a name that [URL.Child] accepts, so
// that a server cannot be led out of the directory by an escaped slash or "..". If u is
// not [URL.Hierarchical], it holds all URLs of its origin. A nil URL holds none, and is held by
// none.
func (u *URL) Holds(v *URL) bool {
	if u == nil || v == nil {
		return false
	}
	u, v = u.Canonical(), v.Canonical()
	if !u.SameOrigin(v) {
		return false
	}
	if !u.Hierarchical() {
		return true
	}
	upper, lower := u.levels(), v.levels()
	if len(lower) < len(upper) {
		return false
	}
	for i, name := range lower {
		if i < len(upper) && name != upper[i] || i >= len(upper) && !isLevel(name) {
			return false
		}
	}
	return true
}

// levels returns the decoded names of the path of u, which is hierarchical. A final slash adds
// none.
func (u *URL) levels() []string {
	path := strings.TrimSuffix(strings.TrimPrefix(u.untyped(), "/"), "/")
	if path == "" {
		return nil
	}
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = unescape(name)
	}
	return names
}

// untyped returns the path of u without the type code of ftp.
func (u *URL) untyped() string {
	if u.Scheme != "ftp" && u.Scheme != "ftps" {
		return u.Path
	}
	path, _ := cutType(u.Path)
	return path
}

// isLevel reports whether name is that of something in a directory.
func isLevel(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}
