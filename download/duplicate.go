package download

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// maxLinks limits the number of Link values that are read.
const maxLinks = 100

var (
	// link matches a value of the Link field with its parameters, and parameter one of these (RFC
	// 8288, section 3).
	link      = regexp.MustCompile(`<([^<>\s]*)>((?:\s*;\s*[^\s;,="]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)`)
	parameter = regexp.MustCompile(`;\s*([^\s;,="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))`)

	// instance matches the SHA-256 of an instance in the Digest field (RFC 3230 and RFC 5843), the
	// predecessor of Repr-Digest with the same meaning.
	instance = regexp.MustCompile(`(?i)(?:^|,)\s*sha-256=([A-Za-z0-9+/=]+)`)
)

// duplicates returns the mirrors that a response names, the best first, and the checksum of the
// file (RFC 6249). Without a trusted checksum nothing proves that the files are the same, and it
// returns no mirrors.
func duplicates(res *fetchers.Resource) (urls []*url.URL, sum Sum) {
	if res.Header.Get("Content-Encoding") != "" {
		return nil, Sum{} // the checksum is of the coded content
	}
	if res.Header["Repr-Digest"] == nil && res.Header["Digest"] == nil {
		return nil, sum
	}
	sum = digest(res.Header.Values("Repr-Digest"))
	if m := instance.FindStringSubmatch(strings.Join(res.Header.Values("Digest"), ",")); m != nil && sum == (Sum{}) {
		octets, _ := base64.StdEncoding.DecodeString(m[1])
		sum, _ = ParseSum("sha256:" + hex.EncodeToString(octets))
	}
	if sum == (Sum{}) {
		return nil, sum
	}
	found := linked(res)
	slices.SortStableFunc(found, func(a, b duplicate) int { return cmp.Compare(a.rank, b.rank) })
	for _, d := range found {
		urls = append(urls, d.url)
	}
	return urls, sum
}

// A duplicate is a mirror with its priority: the lowest rank is the best.
type duplicate struct {
	url  *url.URL
	rank int
}

// linked returns the mirrors in the Link field of a response.
func linked(res *fetchers.Resource) (found []duplicate) {
	for _, m := range link.FindAllStringSubmatch(strings.Join(res.Header.Values("Link"), ","), maxLinks) {
		d, isOne := duplicate{rank: 999_999}, false // RFC 6249, section 3.1
		for _, p := range parameter.FindAllStringSubmatch(m[2], -1) {
			value := p[2] + p[3]
			switch strings.ToLower(p[1]) {
			case "rel":
				isOne = slices.Contains(strings.Fields(strings.ToLower(value)), "duplicate")
			case "pri":
				if n, err := strconv.Atoi(value); err == nil && n > 0 {
					d.rank = n
				}
			}
		}
		var err error
		if d.url, err = res.URL.Resolve(m[1]); isOne && err == nil {
			found = append(found, d)
		}
	}
	return found
}
