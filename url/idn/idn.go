// Package idn parses URLs whose hosts contain letters outside ASCII.
//
// In a URL of package url, the host is in the ASCII form of DNS (RFC 5890: A-labels). Cookies,
// logins and certificates are compared with that form. [Parse] and [Resolve] read hosts as people
// and servers write them, and convert them to it:
//
//	http://bücher.example/         http://xn--bcher-kva.example/
//	http://b%C3%BCcher.example/    the same (RFC 3986, section 3.2.2)
//	http://ＢÜＣＨＥＲ。example/      the same (UTS 46, as browsers map it)
//
// An ASCII host stays unchanged. Only hosts of schemes that use DNS are converted.
package idn

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/seed1ea3422f/fetch/url"
)

// lookup is the profile of browsers: UTS 46, nontransitional, with the rules for bidirectional text
// and for joiners. Package url checks the hyphens.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false), idna.StrictDomainName(false))

// longest is the maximum length of a DNS name in bytes (RFC 1035, section 2.3.4). A character
// before conversion has at most four bytes. The conversion takes time that grows with the square of
// the length.
const longest = 253

// Parse is like url.Parse, but accepts letters outside ASCII in the host.
func Parse(text string) (*url.URL, error) {
	text, err := Reference(text, "")
	if err != nil {
		return nil, err
	}
	return url.Parse(text)
}

// Resolve is like base.Resolve, but accepts letters outside ASCII in the host of ref. base may be
// nil.
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

// Host converts a host to ASCII in lower case. An address is returned unchanged, and so is ASCII
// text that is not a host. The error is a *url.Error.
func Host(host string) (string, error) {
	if isASCII(host) {
		return strings.ToLower(host), nil
	}
	return toASCII(host, -1)
}

// Unicode returns a host in the letters of its readers. It is "" if that is the same as host, or if
// it contains characters other than letters and digits. Different names can look alike, so programs
// should show the result beside the host, never in its place.
func Unicode(host string) string {
	if !strings.Contains(host, "xn--") || len(host) > longest+len(".") {
		return ""
	}
	text, err := lookup.ToUnicode(host)
	if err != nil || text == host {
		return ""
	}
	if back, err := lookup.ToASCII(text); err != nil || back != host || strings.ContainsFunc(text, notInNames) {
		return ""
	}
	return text
}

// notInNames reports whether a character does not belong in a name.
func notInNames(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !strings.ContainsRune("-._", r)
}

// Reference returns a URL or a relative reference with its host in ASCII, for package url to parse.
// scheme is the scheme of the base, or "".
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
	if isASCII(decoded) { // package url accepts the host or refuses its escapes
		return ref, nil
	}
	name, err := toASCII(decoded, begin)
	if err != nil {
		return "", err
	}
	return ref[:begin] + name + ref[begin+len(host):], nil
}

// authority returns the bounds of the authority of a reference, or 0 and 0 if it has none that is a
// DNS name.
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

// named reports whether the hosts of a scheme are DNS names. A host in a file URL is never looked
// up, and the hosts of an unknown scheme may be anything.
func named(scheme string) bool {
	return scheme != "file" && url.DefaultPort(scheme) != 0
}

// toASCII converts a host to ASCII. The host begins at byte at of the URL.
func toASCII(host string, at int) (string, error) {
	bad := func(reason string) error { return &url.Error{Pos: at, Reason: "bad host: " + reason} }
	switch {
	case len(host) > (longest+len("."))*utf8.UTFMax:
		return "", bad("longer than any DNS name")
	case !utf8.ValidString(host):
		return "", bad("neither ASCII nor UTF-8")
	}
	name, err := lookup.ToASCII(host)
	if err != nil {
		return "", bad("not a DNS name: " + strings.TrimPrefix(err.Error(), "idna: "))
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_') {
			return "", bad("a letter in it maps to " + string(rune(c)))
		}
	}
	if last := name[strings.LastIndexByte(strings.TrimSuffix(name, "."), '.')+1:]; last == "" || '0' <= last[0] && last[0] <= '9' {
		return "", bad("an address in letters outside ASCII")
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
