package url

import "strings"

// Resolve resolves ref against the base u (RFC 1630, partial form; RFC 3986, section 5.2). If ref
// has no host, the result has the user of u. The fragment of u is dropped.
//
// If the scheme is hierarchical, path elements "." and ".." are removed, also from an absolute ref.
// A gopher reference is relative to the selector. A news reference is the bare name of a group or
// an article. A mailto, mid, cid, urn or data URL is a base for fragments only. If u is nil, ref
// has to be an absolute URL.
func (u *URL) Resolve(ref string) (*URL, error) {
	if _, _, ok := cutScheme(ref); ok || u == nil {
		v, err := u.Syntax().Parse(ref)
		if err != nil {
			return nil, err
		}
		v.removeDots()
		return v, nil
	}
	rules := u.rules()
	if strings.HasPrefix(ref, "//") && rules.authority != Never {
		return u.resolveHost(ref)
	}
	if ref != "" {
		if err := checkBytes(ref); err != nil {
			return nil, err
		}
	}
	v := *u
	rest, fragment := cutBefore(ref, '#')
	v.Fragment = ""
	if fragment != "" {
		v.Fragment = "#" + repair(fragment[1:])
	}
	query := ""
	if rules.query {
		rest, query = cutBefore(rest, '?')
	}
	if rest == "" && query == "" {
		return &v, nil
	}
	if rules.authority == Never {
		return nil, errorf(0, "%s URLs have no relative form", u.Scheme)
	}
	v.Query, v.secret = repair(query), false
	rest = repair(rest)
	switch u.Scheme {
	case "gopher", "gophers":
		return v.resolveSelector(rest)
	case "news", "snews":
		return v.resolveName(rest)
	}
	switch {
	case rest == "" && (u.Path != "" || !u.Slashes): // the result has the path of u
	case strings.HasPrefix(rest, "/"):
		v.Path = removeDots(rest)
	case u.Path == "" && u.Slashes:
		v.Path = removeDots("/" + rest)
	default:
		v.Path = removeDots(upToSlash(u.Path) + rest)
	}
	v.keepPath()
	return &v, nil
}

// resolveHost resolves ref, which begins with "//".
func (u *URL) resolveHost(ref string) (*URL, error) {
	if strings.HasPrefix(ref, "///") {
		return nil, errorf(2, "no host")
	}
	v, err := u.syntax.Parse(u.Scheme + ":" + ref)
	if err != nil {
		err.(*Error).Pos -= len(u.Scheme) + 1
		return nil, err
	}
	v.removeDots()
	return v, nil
}

// resolveSelector resolves rest, which is not empty, against the gopher URL u. The item type stays:
// it is not an element of the path.
func (u *URL) resolveSelector(rest string) (*URL, error) {
	if rest[0] == '/' {
		return nil, errorf(0, "a rooted reference would replace the gopher item type")
	}
	prefix, selector := "/1", ""
	if path := strings.TrimPrefix(u.Path, "/"); path != "" {
		size := 1
		if isEscape(path, 0) {
			size = len("%XX")
		}
		prefix, selector = "/"+path[:size], path[size:]
	}
	selector, _, _ = strings.Cut(selector, "%09")
	u.Path = prefix + removeDots(upToSlash(selector)+rest)
	return u, nil
}

// resolveName resolves rest, which is not empty, against the news URL u. A reference with a leading
// slash names another group or article on the same server.
func (u *URL) resolveName(rest string) (*URL, error) {
	rooted := rest[0] == '/'
	switch {
	case rooted && !u.Slashes:
		return nil, errorf(0, "a rooted reference, but the base names no server")
	case !rooted && u.Slashes:
		rest = "/" + rest
	}
	u.Path = rest
	return u, nil
}

// removeDots removes "." and ".." elements from the path of u, if the scheme is hierarchical.
func (u *URL) removeDots() {
	if u.rules().dots && strings.HasPrefix(u.Path, "/") {
		u.Path = removeDots(u.Path)
		u.keepPath()
	}
}

// keepPath adds "/." before a path with a leading "//", which would otherwise be read as a host
// (RFC 3986, section 3.3).
func (u *URL) keepPath() {
	if !u.Slashes && strings.HasPrefix(u.Path, "//") {
		u.Path = "/." + u.Path
	}
}

// upToSlash returns s up to and including its last slash.
func upToSlash(s string) string { return s[:strings.LastIndexByte(s, '/')+1] }

// removeDots removes "." and ".." elements from a path. A ".." at the root is dropped (RFC 3986,
// section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	elements := strings.Split(path, "/")
	root := 0 // elements[:root] cannot be removed
	if elements[0] == "" {
		root = 1
	}
	kept := elements[:root]
	for i, e := range elements[root:] {
		last := root+i == len(elements)-1
		switch e {
		case ".", "..":
			if e == ".." && len(kept) > root {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "") // "a/.." ends in a slash
			}
		default:
			kept = append(kept, e)
		}
	}
	return strings.Join(kept, "/")
}
