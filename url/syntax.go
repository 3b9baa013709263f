package url

import (
	"maps"
	"slices"
	"strings"
)

// A Scheme says how the URLs of a scheme are written that this package does not know. It is for
// [NewSyntax].
type Scheme struct {
	Name  string // in lower case
	Names string // what its URLs name, as in "a page on a Spartan server"

	Port      uint16   // of its servers, if a URL has none; 0 if there is no such port
	Ports     []uint16 // further ports that belong to its protocol
	FixedPort bool     // its servers are at Port only

	Authority    Rule // whether "//" and a host follow the scheme
	User         bool // a user and a password may be named before the host
	Query        bool // "?" separates a query; otherwise it is part of the path
	Hierarchical bool // "." and ".." are levels of a hierarchy, and an empty path means "/"
}

// A Rule says whether a part of a URL is there.
type Rule uint8

const (
	Optional Rule = iota
	Required
	Never
)

// A Syntax knows how the URLs of more schemes are written than those of this package. A program
// makes one with [NewSyntax] and parses URLs with it; other users of this package in the same
// program see no difference. A Syntax does not change, and may be used by many goroutines at
// once. A nil Syntax knows the schemes of this package.
type Syntax struct{ more map[string]scheme }

// NewSyntax returns a Syntax of the schemes of this package and more. A name that is no scheme
// (RFC 3986, section 3.1) or not in lower case, a scheme without Names, one that is given twice,
// and one of this package, whose rules cannot change, are an [*Error].
func NewSyntax(more ...Scheme) (*Syntax, error) {
	x := &Syntax{more: make(map[string]scheme, len(more))}
	for _, s := range more {
		_, taken := x.more[s.Name]
		switch {
		case badScheme(s.Name) >= 0 || strings.ToLower(s.Name) != s.Name:
			return nil, errorf(-1, "bad scheme %q", s.Name)
		case taken:
			return nil, errorf(-1, "the scheme %s is given twice", s.Name)
		case Describe(s.Name) != "":
			return nil, errorf(-1, "the scheme %s is known", s.Name)
		case s.Names == "":
			return nil, errorf(-1, "the scheme %s has no Names", s.Name)
		}
		x.more[s.Name] = scheme{
			names: s.Names, port: s.Port, fixed: s.FixedPort, more: slices.Clone(s.Ports),
			authority: s.Authority, user: s.User, query: s.Query, dots: s.Hierarchical, added: true,
		}
	}
	return x, nil
}

// Schemes returns the names of the schemes of x that this package does not know, sorted.
func (x *Syntax) Schemes() []string {
	if x == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(x.more))
}

// Read returns u as x reads it: a URL whose scheme is one of x, but which was parsed without x, as
// one that a server of another protocol has named. Any other u, also nil, is returned as it is. The
// error is an [*Error]: the rules of the scheme do not allow u.
func (x *Syntax) Read(u *URL) (*URL, error) {
	if x == nil || u == nil || u.rules().added {
		return u, nil
	}
	if _, ok := x.more[u.Scheme]; !ok {
		return u, nil
	}
	return x.Parse(u.String())
}

// schemeOf returns the rules for the scheme called name.
func (x *Syntax) schemeOf(name string) scheme {
	if x != nil {
		if s, ok := x.more[name]; ok {
			return s
		}
	}
	return schemeOf(name)
}

// rules returns the rules for the scheme of u.
func (u *URL) rules() scheme { return u.syntax.schemeOf(u.Scheme) }

// Syntax returns the Syntax that u was parsed with, or nil for that of [Parse], and for a nil u.
func (u *URL) Syntax() *Syntax {
	if u == nil {
		return nil
	}
	return u.syntax
}
