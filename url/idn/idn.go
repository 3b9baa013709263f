// Package idn reads URLs whose hosts are written in other letters than those of ASCII.
//
// A URL of package url has the host as DNS has it, in ASCII (RFC 5890: its A-labels), and so
// has all that is compared with it: cookies, logins, certificates. [Parse] and [Resolve] read
// what people and servers write, and turn the host into that form:
//
//	http://bücher.example/         http://xn--bcher-kva.example/
//	http://b%C3%BCcher.example/    the same (RFC 3986, section 3.2.2)
//	http://ＢÜＣＨＥＲ。example/      the same (UTS 46, as browsers map it)
//
// A host in ASCII stays as it is. Only hosts of schemes that ask DNS for them are turned.
package idn

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/seed1ea3422f/fetch/url"
)

// lookup is the profile of browsers: UTS 46, not transitional, with the rules for the
// direction of writing and for joiners. Hyphens are judged by package url.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false), idna.StrictDomainName(false))

// longest is how many octets a name of DNS may have (RFC 1035, section 2.3.4). A character that
// becomes one of them has at most four octets. The work for a name grows with the square of its
// length.
const longest = 253

// Parse is url.Parse for a URL whose host may have any letters.
func Parse(text string) (*url.URL, error) {
	text, err := Reference(text, "")
	if err != nil {
		return nil, err
	}
	return url.Parse(text)
}

// Resolve is the Resolve of base, which may be nil, for a reference whose host may have any
// letters.
func Resolve(base *url.URL, ref string) (*url.URL, error) {
	scheme := ""
	if base != nil {
		scheme = base.Scheme
	}
	ref, err := Reference(ref, scheme)
	if err != nil {
		return nil, err
	}
	return base.Resolve(ref)
}

// Host returns a host as a URL has it: in ASCII and lower case. An address is returned as it
// is, and so is a text that is no host. The error is a *url.Error.
func Host(host string) (string, error) {
	if isASCII(host) {
		return strings.ToLower(host), nil
	}
	return toASCII(host, -1)
}

// Unicode returns the host of a URL as its readers write it, or "" if that is no other than
// the host, or not made of letters and digits. Names that look alike may be different ones: it
// is shown beside the host, never in its place.
func Unicode(host string) string {
	if !strings.Contains(host, "xn--") || len(host) > longest+len(".") {
		return ""
	}
	text, err := lookup.ToUnicode(host)
	if err != nil || text == host {
		return ""
	}
	if back, err := lookup.ToASCII(text); err != nil || back != host || strings.ContainsFunc(text, odd) {
		return ""
	}
	return text
}

// odd reports whether a character is none that names are written with.
func odd(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !strings.ContainsRune("-._", r)
}

// Reference returns a URL or a relative reference with its host in ASCII, for package url to
// read. scheme is that of the base, or "".
func Reference(ref, scheme string) (string, error) {
	if isASCII(ref) && !strings.Contains(ref, "%") {
		return ref, nil
	}
	begin, end := authority(ref, scheme)
	if at := strings.LastIndexByte(ref[begin:end], '@'); at >= 0 {
		begin += at + 1
	}
	host := ref[begin:end]
	if port := strings.IndexByte(host, ':'); port >= 0 {
		host = host[:port]
	}
	decoded := url.Unescape(host)
	if isASCII(decoded) { // package url takes it, or refuses its escapes
		return ref, nil
	}
	name, err := toASCII(decoded, begin)
	if err != nil {
		return "", err
	}
	return ref[:begin] + name + ref[begin+len(host):], nil
}

// authority returns where the authority of a reference begins and ends, or 0 and 0 if there is
// none in which DNS would be asked.
func authority(ref, scheme string) (begin, end int) {
	if i := strings.IndexAny(ref, ":/?#"); i >= 0 && ref[i] == ':' {
		scheme, begin = strings.ToLower(ref[:i]), i+1
	}
	if !named(scheme) || !strings.HasPrefix(ref[begin:], "//") {
		return 0, 0
	}
	begin += len("//")
	end = len(ref)
	if i := strings.IndexAny(ref[begin:], `/?#\`); i >= 0 {
		end = begin + i
	}
	return begin, end
}

// named reports whether the hosts of a scheme are names of DNS. Those of file may be, but are
// never looked up; of a scheme that is not known nobody can tell.
func named(scheme string) bool {
	return scheme != "file" && url.DefaultPort(scheme) != 0
}

// toASCII returns a host, which begins at byte at of a text, in ASCII.
func toASCII(host string, at int) (string, error) {
	bad := func(reason string) error { return &url.Error{Pos: at, Reason: "bad host: " + reason} }
	switch {
	case len(host) > (longest+len("."))*utf8.UTFMax:
		return "", bad("longer than any name of DNS")
	case !utf8.ValidString(host):
		return "", bad("neither ASCII nor UTF-8")
	}
	name, err := lookup.ToASCII(host)
	if err != nil {
		return "", bad("no name of DNS: " + strings.TrimPrefix(err.Error(), "idna: "))
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_') {
			return "", bad("a letter in it means " + string(rune(c)))
		}
	}
	if last := name[strings.LastIndexByte(strings.TrimSuffix(name, "."), '.')+1:]; last == "" || '0' <= last[0] && last[0] <= '9' {
		return "", bad("an address in other letters than those of ASCII")
	}
	return name, nil
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
