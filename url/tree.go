package url

import "strings"

// Hierarchical reports whether slashes in the path of u separate the levels of a hierarchy (RFC
// 3986, section 1.2.3), as in ftp, file and http URLs. It is true for an unknown scheme, and false
// for gopher, news and prospero.
func (u *URL) Hierarchical() bool { return u.rules().dots }

// Directory returns u as the URL of a directory: its path ends in a slash, and it has no type code,
// query or fragment. If u is not [URL.Hierarchical], Directory returns an unchanged copy of u.
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

// Child returns the URL of a file in the directory u. The name is not escaped. It is an error if
// name is not a single level of the hierarchy: if it is empty, "." or "..", or contains a slash or
// a NUL.
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

// Holds reports whether v is the directory u or lies below it, at the same origin. Names are
// compared after decoding. Each level below u has to be a name that [URL.Child] accepts, so that an
// escaped slash or ".." from a server cannot lead out of the directory. If u is not
// [URL.Hierarchical], it holds all URLs of its origin. If u or v is nil, the result is false.
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

// levels returns the decoded names in the path of u, which is hierarchical. A final slash adds no
// name.
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

// untyped returns the path of u without the type code of an ftp URL.
func (u *URL) untyped() string {
	if u.Scheme != "ftp" && u.Scheme != "ftps" {
		return u.Path
	}
	path, _ := cutType(u.Path)
	return path
}

// isLevel reports whether name can be the name of a file in a directory.
func isLevel(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}
