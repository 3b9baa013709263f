package job

import (
	"net/netip"
	"regexp"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// usual are the schemes of hosts that are typed without one, by the port or by the first
// label of the host.
var usual = map[string]string{
	"80": "http", "443": "https", "21": "ftp", "70": "gopher",
	"ftp": "ftp", "gopher": "gopher",
}

// authority matches a host, with its port if it has one, at the beginning of a text.
var authority = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\]|[^\s:/?#@\[\]\\%]+)(?::([0-9]{1,5}))?(?:[/?#]|$)`)

// Typed returns the URL that a person means by a host and a path without a scheme, or false
// for any other text: a URL, the name of a file that there is, or a word.
//
//	example.com/x       https://example.com/x
//	ftp.example.com     ftp://ftp.example.com, and likewise gopher
//	example.com:80      http://example.com:80, by the port of a protocol
//	127.0.0.1:8000/x    http://127.0.0.1:8000/x, and so for every address and for localhost
func Typed(text string) (string, bool) {
	m := authority.FindStringSubmatch(text)
	if m == nil || exists(text) {
		return "", false
	}
	host, port := m[1], m[2]
	if port != "" && url.Describe(strings.ToLower(host)) != "" {
		return "", false // the text before the colon is a scheme
	}
	first, _, dotted := strings.Cut(host, ".")
	_, notAddr := netip.ParseAddr(strings.Trim(host, "[]"))
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if !dotted && port == "" && !local && notAddr != nil {
		return "", false
	}
	scheme := "https"
	switch {
	case usual[port] != "":
		scheme = usual[port]
	case local, notAddr == nil:
		scheme = "http"
	case dotted && usual[strings.ToLower(first)] != "":
		scheme = usual[strings.ToLower(first)]
	}
	whole := scheme + "://" + text
	if _, err := idn.Parse(whole); err != nil {
		return "", false
	}
	return whole, true
}
