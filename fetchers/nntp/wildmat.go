package nntp

import "strings"

// A wildmat is a pattern of names (RFC 3977, section 4). The last part that matches decides.
type wildmat []part

type part struct {
	pattern string
	not     bool
}

// compile parses a pattern. It returns false for characters that RFC 3977 reserves, because servers
// interpret them in different ways.
func compile(s string) (w wildmat, ok bool) {
	if strings.ContainsAny(s, `[]\`) {
		return nil, false
	}
	for pattern := range strings.SplitSeq(s, ",") {
		pattern, not := strings.CutPrefix(pattern, "!")
		w = append(w, part{pattern, not})
	}
	return w, true
}

// match reports whether w matches a name.
func (w wildmat) match(name string) bool {
	for i := len(w) - 1; i >= 0; i-- {
		if matches(w[i].pattern, name) {
			return !w[i].not
		}
	}
	return false
}

// matches reports whether a pattern of "*" and "?" matches all of s. It backtracks only to the last
// "*", so that every pattern takes little time.
func matches(pattern, s string) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
