package url

import "strings"

// Resolve returns the URL that ref means in a document whose own URL is u
// (RFC 1630, partial form; RFC 3986, section 5.2). The user of u is kept when the
// host is; a fragment of u is not.
//
// Path elements "." and ".." are removed, in an absolute ref too, if "/" is a
// hierarchy in the scheme. In a gopher URL it is taken to be one within the
// selector; a news reference is the bare name of a group or an article. A mailto,
// mid, cid, urn or data URL is a base for fragments only. If u is nil, ref has to be a whole URL.
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
		if err := checkOctets(ref); err != nil {
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
	case rest == "" && (u.Path != "" || !u.Slashes): // the path is kept
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

// resolveSelector resolves rest, which is not empty, with u as the base. The item
// type stays, so that it is not taken for an element of the path.
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

// resolveName resolves rest, which is not empty, with u as the base. A rooted
// name is that of something else on the same server.
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

// removeDots takes "." and ".." elements out of the path of u, if they are such.
func (u *URL) removeDots() {
	if u.rules().dots && strings.HasPrefix(u.Path, "/") {
		u.Path = removeDots(u.Path)
		u.keepPath()
	}
}

// keepPath sees to it that the path of u is not taken for a host and a path
// (RFC 3986, section 3.3).
func (u *URL) keepPath() {
	if !u.Slashes && strings.HasPrefix(u.Path, "//") {
		u.Path = "/." + u.Path
	}
}

// upToSlash returns s without what follows its last slash.
func upToSlash(s string) string { return s[:strings.LastIndexByte(s, '/')+1] }

// removeDots takes "." and ".." elements out of a path, as whole elements
// only. What would lead above the root is dropped (RFC 3986, section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	elements := strings.Split(path, "/")
	root := 0 // elements[:root] can not be removed
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
