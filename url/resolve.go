package url

import "strings"

// Resolve returns the URL that ref means in a document whose own URL is u
// (RFC 3986, section 5.2). The user of u is kept when the host is; a fragment
// of u is not.
func (u *URL) Resolve(ref string) (*URL, error) {
	if name, _, ok := strings.Cut(ref, ":"); ok && badScheme(name) < 0 {
		return Parse(ref)
	}
	if strings.HasPrefix(ref, "///") {
		return nil, errorf(2, "no host")
	}
	if strings.HasPrefix(ref, "//") {
		v, err := Parse(u.Scheme + ":" + ref)
		if err != nil {
			err.(*Error).Pos -= len(u.Scheme) + 1
		}
		return v, err
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
	if schemeOf(u.Scheme).query {
		rest, query = cutBefore(rest, '?')
	}
	switch {
	case rest == "" && query == "":
		return &v, nil
	case rest == "":
	case rest[0] == '/':
		v.Path = removeDots(repair(rest))
	default:
		v.Path = removeDots(u.Path[:strings.LastIndexByte(u.Path, '/')+1] + repair(rest))
		if u.Slashes && !strings.HasPrefix(v.Path, "/") {
			v.Path = "/" + v.Path // the base had no path
		}
	}
	v.Query = repair(query)
	return &v, nil
}

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
