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

// A Scope decides which URLs belong to a crawl. The zero Scope includes only its Roots. Its fields
// must not change in use. Its methods are safe for concurrent use.
type Scope struct {
	Roots []*url.URL // named by the user; always visited

	Depth     int      // maximum number of links from a root to a page; 0 means no limit
	NoParent  bool     // only URLs in or below the directory of a root
	SpanHosts bool     // any host; if false, the hosts of the roots, and Hosts
	Hosts     []string // further hosts with their subdomains: "example.org" includes "www.example.org"
	NotHosts  []string // excluded hosts with their subdomains
	Schemes   []string // if empty, those of the roots; http and https count as one

	// Accept and Reject are patterns for file names, as in wget's -A and -R. A pattern with "*",
	// "?" or "[" has to match the whole name, any other one its suffix, such as ".pdf". A page that
	// is not accepted is still fetched for its links, but not kept. The same holds for a rejected
	// page, if it is a directory or its name ends in .html or .htm. Patterns are case-sensitive.
	Accept, Reject []string

	// AcceptRegexp and RejectRegexp match the whole URL in its canonical form. nil means no
	// condition.
	AcceptRegexp, RejectRegexp *regexp.Regexp

	// Requisites adds resources that a page needs for display, such as pictures, from any host and
	// one link deeper.
	Requisites bool

	MaxSize    int64    // of a file, in bytes; 0 means no limit
	MediaTypes []string // types to keep, such as "text/html" or "image/*"; if empty, all

	MaxLength  int // of a URL, in bytes; 0 means 2,000
	MaxRepeats int // maximum repetitions of an element in a path; 0 means four
}

// A Decision tells whether a URL belongs to a Scope, and why.
type Decision struct {
	Visit bool   // to be fetched
	Keep  bool   // to be kept; never without Visit
	Why   string // explanation for the user
	Trap  bool   // the URL looks like one of an endless series
}

func refuse(format string, args ...any) Decision { return Decision{Why: fmt.Sprintf(format, args...)} }

func (d Decision) trap() Decision {
	d.Trap = true
	return d
}

// Decide decides about u, which is depth links away from a root. requisite means that a page needs
// it for display, and page that it may have links. A root has depth 0.
func (s *Scope) Decide(u *url.URL, depth int, requisite, page bool) Decision {
	if u == nil {
		return refuse("the URL is nil")
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
	free := requisite && s.Requisites // independent of its location
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

// Kept decides whether a response is kept, when its size and type are known. d is the earlier
// Decision.
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

// trap refuses URLs that grow without end, such as those of calendars and of erroneous relative
// links.
func (s *Scope) trap(u *url.URL) Decision {
	if most := cmp.Or(s.MaxLength, 2000); len(u.String()) > most {
		return refuse("the URL has more than %d bytes", most).trap()
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

// among reports whether a host is in a list, or is a subdomain of a host in it.
func among(list []string, host string) bool {
	host = strings.ToLower(host)
	return slices.ContainsFunc(list, func(h string) bool {
		h = strings.ToLower(strings.TrimPrefix(h, "."))
		return host == h || h != "" && strings.HasSuffix(host, "."+h)
	})
}

// below reports whether u is in or below the directory of a root. The scheme may differ in TLS.
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

// surelyPage reports whether the name of u is the name of a page, as in wget.
func surelyPage(u *url.URL) bool { return u.Base() == "" || strings.HasPrefix(extension(u), "htm") }

// name returns the reason for which a file name is excluded, or "", and whether a pattern of Reject
// matches it.
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

// named reports whether a name matches a pattern of -A. A malformed pattern matches no name.
func named(name, pattern string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		fits, err := path.Match(pattern, name)
		return fits && err == nil
	}
	return pattern != "" && strings.HasSuffix(name, pattern)
}

// ofType reports whether a media type matches a pattern.
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
