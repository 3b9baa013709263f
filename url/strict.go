package url

import "strings"

// ParseStrict is like [Parse], but accepts only URLs that the grammar of RFC 1738 allows. From
// later RFCs it takes "~" in paths, IPv6 addresses in brackets, header fields of mailto URLs, and
// host names whose last label begins with a digit, such as 1com. It also checks the rules of the
// scheme, as [URL.FTP] and similar methods do.
func ParseStrict(s string) (*URL, error) {
	u, err := Parse(s)
	if err != nil {
		return nil, err
	}
	path := len(s) // offset of the text after the authority
	if name, rest, _ := cutScheme(s); strings.HasPrefix(rest, "//") && u.Slashes {
		at := len(name) + len("://")
		if n := strings.IndexAny(s[at:], "/?#"); n >= 0 {
			path = at + n
		}
		if err := checkStrictAuthority(s[at:path], at); err != nil {
			return nil, err
		}
	} else {
		path = len(name) + len(":")
		if u.Slashes {
			return nil, errorf(path, `no "//" after the scheme`)
		}
	}
	fragment := false
	for i := path; i < len(s); i++ {
		switch {
		case s[i] == '#' && !fragment:
			fragment = true
		case sets[s[i]]&inAny == 0:
			return nil, errorf(i, "unsafe character %q: must be escaped", s[i])
		}
	}
	// Every character is allowed at this point, so Parse has escaped nothing in u.
	if err := u.checkStrict(); err != nil {
		return nil, err
	}
	return u, nil
}

// checkStrictAuthority checks user:password@host:port, which Parse has accepted and which begins at
// byte at.
func checkStrictAuthority(s string, at int) error {
	if who, where, ok := strings.Cut(s, "@"); ok {
		colons := 0
		for i := 0; i < len(who); i++ {
			c := who[i]
			if c == ':' {
				colons++
			}
			if colons > 1 || c != ':' && sets[c]&inUserinfo == 0 && strings.IndexByte(";&=%", c) < 0 {
				return errorf(at+i, "%q in the user name or password: must be escaped", c)
			}
		}
		at += len(who) + 1
		s = where
	}
	host := s
	if colon := strings.LastIndexByte(s, ':'); colon > strings.LastIndexByte(s, ']') {
		if colon == len(s)-1 {
			return errorf(at+colon, "bad port: no digits")
		}
		host = s[:colon]
	}
	if i := strings.IndexByte(host, '_'); i >= 0 && host[0] != '[' {
		return errorf(at+i, `bad host: "_" in it`)
	}
	if strings.HasSuffix(host, ".") {
		return errorf(at+len(host)-1, "bad host: final dot")
	}
	return nil
}

// checkStrict checks the parts of u by the grammar of its scheme (RFC 1738, section 5). Every
// character of u is allowed in some URL.
func (u *URL) checkStrict() error {
	switch u.Scheme {
	case "http", "https", "nntp", "nntps", "z39.50r", "z39.50s":
		if u.User != nil {
			return errorf(-1, "%s URLs name no user", u.Scheme)
		}
	}
	var err error
	switch u.Scheme {
	case "ftp", "ftps":
		if path, _ := cutType(u.Path); strings.Contains(path, ";") {
			return errorf(-1, `";" in a file name: must be escaped`)
		}
		_, err = u.FTP()
	case "file":
		switch {
		case u.Path == "":
			return errorf(-1, "no path")
		case strings.Contains(u.Path, ";"):
			return errorf(-1, `";" in a file name: must be escaped`)
		}
		_, err = u.File()
	case "http", "https":
		switch {
		case u.Query == "":
		case u.Path == "":
			return errorf(-1, `no "/" before the search`)
		case strings.ContainsAny(u.Query[1:], "/?"):
			return errorf(-1, `"/" or "?" in the search: must be escaped`)
		}
	case "gopher", "gophers":
		_, err = u.Gopher()
	case "news", "snews", "nntp", "nntps":
		err = u.checkStrictNews()
	case "telnet", "telnets", "rlogin", "tn3270":
		_, err = u.Telnet()
	case "wais":
		if _, err = u.WAIS(); err == nil && !isStrictWAIS(u.Path, u.Query) {
			err = errorf(-1, "reserved character in a database, type or path: must be escaped")
		}
	case "z39.50r", "z39.50s":
		if _, err = u.Z3950(); err == nil && !isStrictZ3950(u.Path, u.Query) {
			err = errorf(-1, "reserved character in a database, docid or parameter: must be escaped")
		}
	case "prospero":
		_, fields, _ := strings.Cut(u.Path, ";")
		if strings.Contains(fields, "/") {
			return errorf(-1, `"/" in a field: must be escaped`)
		}
		_, err = u.Prospero()
	case "dict":
		_, err = u.Dict()
	case "tftp":
		if file, _, _ := strings.Cut(u.Path, modeField); strings.Contains(file, ";") {
			return errorf(-1, `";" in a file name: must be escaped`)
		}
		_, err = u.TFTP()
	case "mailto":
		if _, err = u.Mailto(); err == nil && !isStrictMailto(u.Path, u.Query) {
			err = errorf(-1, "reserved character in an address or a header field: must be escaped")
		}
	case "mid":
		_, err = u.MID()
	case "cid":
		_, err = u.CID()
	case "urn":
		_, err = u.URN()
	case "data":
		_, err = u.Data()
	}
	return err
}

func (u *URL) checkStrictNews() error {
	n, err := u.News()
	if err != nil {
		return err
	}
	switch {
	case !n.NNTP && u.Slashes:
		return errorf(-1, "news URLs name no host")
	case n.First != n.Last:
		return errorf(-1, "bad article number: a range")
	case n.MessageID != "":
		_, domain, _ := strings.Cut(u.Path, "@")
		if literal := unescape(domain); strings.HasPrefix(literal, "[") && strings.HasSuffix(literal, "]") {
			return nil
		}
		_, err := parseHost(domain, 0)
		if err != nil || strings.ContainsAny(domain, "_[") || domain[len(domain)-1] == '.' {
			return errorf(-1, `bad message-id: no host after "@"`)
		}
	case n.Wildmat != "":
		if n.Wildmat != "*" || u.Path != "*" {
			return errorf(-1, `bad group name: a pattern other than "*"`)
		}
	default:
		group, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
		for i := 0; i < len(group); i++ {
			if c := group[i]; !isLetter(c) && (i == 0 || !isDigit(c) && strings.IndexByte("-.+_", c) < 0) {
				return errorf(-1, "bad group name: %q in it", c)
			}
		}
	}
	return nil
}

// isStrictWAIS reports whether database, wtype and wpath have no reserved character, and the search
// has none except ";:@&=".
func isStrictWAIS(path, query string) bool {
	return strings.Count(path, "/") <= 3 && !strings.ContainsAny(path, ";?:@&=") && !strings.ContainsAny(strings.TrimPrefix(query, "?"), "/?")
}

// isStrictZ3950 reports whether the parameters come last, and no part has a reserved character.
func isStrictZ3950(path, query string) bool {
	if query != "" && strings.Contains(path, ";") {
		return false
	}
	before, parameters, _ := strings.Cut(strings.TrimPrefix(path+query, "/"), ";")
	before = strings.Replace(before, "?", "", 1)
	assigned := min(len(parameters), 1) + strings.Count(parameters, ";")
	return !strings.ContainsAny(before, "/?:@&=") && !strings.ContainsAny(parameters, "/?:@&") && strings.Count(parameters, "=") == assigned
}

// isStrictMailto reports whether the characters that RFC 6068 reserves are escaped except as
// delimiters.
func isStrictMailto(path, query string) bool {
	if strings.ContainsAny(path, "/;&=") {
		return false
	}
	query = strings.TrimPrefix(query, "?")
	return !strings.ContainsAny(query, "/?") && strings.Count(query, "=") == strings.Count(query, "&")+min(len(query), 1)
}
