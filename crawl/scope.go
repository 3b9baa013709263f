package crawl

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Scope says which URLs belong to a crawl. The zero Scope has none: its Roots do. Its fields must
// not change in use, and its methods may be called by several goroutines.
type Scope struct {
	Roots []*url.URL // that the user named: they are visited whatever the rest says

	Depth     int      // how many links may lead from a root to a page; 0 is any number
	NoParent  bool     // only what is in the directory of a root, or below it
	SpanHosts bool     // any host; if false, those of the roots, and Hosts
	Hosts     []string // further hosts, each with the hosts below it: "example.org" has "www.example.org"
	NotHosts  []string // hosts that never belong to it, likewise
	Schemes   []string // if empty, those of the roots; http and https count as one

	// Accept and Reject are patterns for the names of files, as wget's -A and -R have them: one with
	// "*", "?" or "[" is for the whole name, and any other for its end, such as ".pdf". A page that
	// is not accepted is fetched all the same, for where it leads, and not kept; so is one that is
	// rejected, if it is a directory or its name ends in .html or .htm. Case counts.
	Accept, Reject []string

	// AcceptRegexp and RejectRegexp are for the whole URL in its canonical form. nil is no
	// condition.
	AcceptRegexp, RejectRegexp *regexp.Regexp

	// Requisites adds what a page needs to be seen, such as pictures, from any host and one
	// link deeper.
	Requisites bool

	MaxSize    int64    // of a file, in bytes; 0 is any size
	MediaTypes []string // that are kept, such as "text/html" or "image/*"; if empty, all are

	MaxLength  int // of a URL, in octets; 0 is 2,000
	MaxRepeats int // how often one element may be in a path; 0 is four times
}

// A Decision says whether a URL belongs to a Scope, and why.
type Decision struct {
	Visit bool   // it is to be fetched
	Keep  bool   // what comes is to be kept; never without Visit
	Why   string // for a person
	Trap  bool   // it looks like one of endlessly many
}

func refuse(format string, args ...any) Decision { return Decision{Why: fmt.Sprintf(format, args...)} }

func (d Decision) trap() Decision {
	d.Trap = true
	return d
}

// Decide decides on u, to which so many links have led. requisite says that a page needs it to be
// seen, and page that it may lead elsewhere. The URL of a root has the depth 0.
func (s *Scope) Decide(u *url.URL, depth int, requisite, page bool) Decision {
	if u == nil {
		return refuse("there is no URL")
	}
	for _, root := range s.Roots {
		if root.Equal(u) {
			if why, rejected := s.name(u); why != "" && !rejected && MayLead(u) {
				return Decision{Visit: true, Why: why}
			}
			return Decision{Visit: true, Keep: true, Why: "it was named"}
		}
	}
	if d := s.trap(u); d.Why != "" {
		return d
	}
	free := requisite && s.Requisites // of where it is
	allowed := s.Depth
	if free {
		allowed++
	}
	switch {
	case s.Depth > 0 && depth > allowed:
		return refuse("it is %d links deep, and the most is %d", depth, s.Depth)
	case !s.scheme(u.Scheme):
		return refuse("%s URLs do not belong to it", u.Scheme)
	case among(s.NotHosts, u.Host):
		return refuse("the host %s is excluded", u.Host)
	case !free && !s.host(u.Host):
		return refuse("it is on another host, %s", u.Host)
	case !free && s.NoParent && !s.below(u):
		return refuse("it is not below a root")
	case s.RejectRegexp != nil && s.RejectRegexp.MatchString(plain(u)):
		return refuse("it is rejected by %s", s.RejectRegexp)
	case s.AcceptRegexp != nil && !s.AcceptRegexp.MatchString(plain(u)):
		return refuse("it is not accepted by %s", s.AcceptRegexp)
	}
	if why, rejected := s.name(u); why != "" {
		return Decision{Visit: page && (!rejected || surelyPage(u)), Why: why}
	}
	if free {
		return Decision{Visit: true, Keep: true, Why: "a page needs it"}
	}
	return Decision{Visit: true, Keep: true, Why: "it is in the scope"}
}

// Kept decides on what came, once its size and type are known: whether it is to be kept. d is what
// was decided before.
func (s *Scope) Kept(d Decision, res *fetchers.Resource) Decision {
	switch {
	case !d.Keep:
	case s.MaxSize > 0 && res.Size > s.MaxSize:
		return Decision{Visit: d.Visit, Why: fmt.Sprintf("it has %d bytes, and the most is %d", res.Size, s.MaxSize)}
	case len(s.MediaTypes) > 0 && !slices.ContainsFunc(s.MediaTypes, func(m string) bool { return ofType(res.MediaType, m) }):
		return Decision{Visit: d.Visit, Why: fmt.Sprintf("its type is %q", res.MediaType)}
	}
	return d
}

// trap decides against URLs that grow without end, as those of calendars and of links that are
// relative by mistake.
func (s *Scope) trap(u *url.URL) Decision {
	if most := cmp.Or(s.MaxLength, 2000); len(u.String()) > most {
		return refuse("the URL has more than %d octets", most).trap()
	}
	most := cmp.Or(s.MaxRepeats, 4)
	counts := make(map[string]int)
	for e := range strings.SplitSeq(u.Path, "/") {
		if counts[e]++; e != "" && counts[e] > most {
			return refuse("its path has the same element more than %d times", most).trap()
		}
	}
	return Decision{}
}

func (s *Scope) scheme(name string) bool {
	if len(s.Schemes) > 0 {
		return slices.Contains(s.Schemes, name)
	}
	return slices.ContainsFunc(s.Roots, func(root *url.URL) bool { return bare(root.Scheme) == bare(name) })
}

// bare returns the scheme without TLS.
func bare(scheme string) string {
	if scheme == "https" {
		return "http"
	}
	return scheme
}

func (s *Scope) host(name string) bool {
	return s.SpanHosts || among(s.Hosts, name) ||
		slices.ContainsFunc(s.Roots, func(root *url.URL) bool { return strings.EqualFold(root.Host, name) })
}

// among reports whether a host is one of a list, or below one.
func among(list []string, host string) bool {
	host = strings.ToLower(host)
	return slices.ContainsFunc(list, func(h string) bool {
		h = strings.ToLower(strings.TrimPrefix(h, "."))
		return host == h || h != "" && strings.HasSuffix(host, "."+h)
	})
}

// below reports whether u is in the directory of a root, or below it. The scheme may be that with
// TLS or without.
func (s *Scope) below(u *url.URL) bool {
	return slices.ContainsFunc(s.Roots, func(root *url.URL) bool {
		dir := *root
		if at := strings.LastIndexByte(dir.Path, '/'); at >= 0 {
			dir.Path = dir.Path[:at+1]
		}
		dir.Query, dir.Fragment = "", ""
		if bare(dir.Scheme) == bare(u.Scheme) {
			dir.Scheme, dir.Port = u.Scheme, u.Port
		}
		dir.User = u.User
		return dir.Holds(u)
	})
}

// surelyPage reports whether the name of u is that of a page, as wget has it.
func surelyPage(u *url.URL) bool { return u.Base() == "" || strings.HasPrefix(extension(u), "htm") }

// name returns why the name of a file keeps it out, or "", and whether that is by a pattern of Reject.
func (s *Scope) name(u *url.URL) (why string, rejected bool) {
	name := u.Base()
	if p := slices.IndexFunc(s.Reject, func(p string) bool { return named(name, p) }); p >= 0 {
		return fmt.Sprintf("its name is rejected by %s", s.Reject[p]), true
	}
	if len(s.Accept) > 0 && !slices.ContainsFunc(s.Accept, func(p string) bool { return named(name, p) }) {
		return "its name is not among those that are accepted", false
	}
	return "", false
}

// named reports whether a name is as a pattern of -A has it. A pattern that is malformed fits no
// name.
func named(name, pattern string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		fits, err := path.Match(pattern, name)
		return fits && err == nil
	}
	return pattern != "" && strings.HasSuffix(name, pattern)
}

// ofType reports whether a media type is the one of a pattern.
func ofType(mediaType, pattern string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.TrimSpace(mediaType)
	if kind, ok := strings.CutSuffix(pattern, "/*"); ok {
		have, _, _ := strings.Cut(mediaType, "/")
		return strings.EqualFold(have, kind)
	}
	return strings.EqualFold(mediaType, pattern)
}

// plain returns the text of a URL for a pattern.
func plain(u *url.URL) string { return textOf(u) }
