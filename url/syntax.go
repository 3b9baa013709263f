package url

import (
	"maps"
	"slices"
	"strings"
)

// A Scheme defines the syntax of a scheme that this package does not know. It is an argument of
// [NewSyntax].
type Scheme struct {
	Name  string // in lower case
	Names string // the named resources, as in "a page on a Spartan server"

	Port      uint16   // the default port; 0 if the scheme has none
	Ports     []uint16 // further ports of its protocol
	FixedPort bool     // its servers use Port only

	Authority    Rule // whether "//" and a host follow the scheme
	User         bool // a user and a password may precede the host
	Query        bool // "?" separates a query; otherwise it is part of the path
	Hierarchical bool // "." and ".." are levels of a hierarchy, and an empty path means "/"
}

// A Rule tells whether a URL has a part.
type Rule uint8

const (
	Optional Rule = iota
	Required
	Never
)

// A Syntax knows the schemes of this package and further ones. A program makes one with [NewSyntax]
// and parses URLs with it; other users of this package in the same program are not affected. A
// Syntax is immutable and safe for concurrent use. A nil Syntax knows only the schemes of this
// package.
type Syntax struct{ more map[string]scheme }

// NewSyntax returns a Syntax with the schemes of this package and more. The error is an [*Error] if
// a name is not a valid scheme (RFC 3986, section 3.1) in lower case, if a scheme has no Names, if
// it is given twice, or if this package already knows it.
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

// Schemes returns the names of the schemes that were added in x, sorted.
func (x *Syntax) Schemes() []string {
	if x == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(x.more))
}

// Read parses u again with x, if the scheme of u is one that was added in x and u was parsed
// without it, for instance by a client that read the URL from a server. Any other u, also nil, is
// returned unchanged. The error is an [*Error] if the rules of the scheme do not allow u.
func (x *Syntax) Read(u *URL) (*URL, error) {
	if x == nil || u == nil || u.rules().added {
		return u, nil
	}
	if _, ok := x.more[u.Scheme]; !ok {
		return u, nil
	}
	return x.Parse(u.String())
}

// schemeOf returns the rules of x for the scheme called name.
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

// Syntax returns the Syntax that parsed u. It is nil if [Parse] did, or if u is nil.
func (u *URL) Syntax() *Syntax {
	if u == nil {
		return nil
	}
	return u.syntax
}
