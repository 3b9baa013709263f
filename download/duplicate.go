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

// maxLinks is how many values of the field Link are read.
const maxLinks = 100

var (
	// link is a value of the field Link with its parameters, and parameter is one
	// of them (RFC 8288, section 3).
	link      = regexp.MustCompile(`<([^<>\s]*)>((?:\s*;\s*[^\s;,="]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)`)
	parameter = regexp.MustCompile(`;\s*([^\s;,="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))`)

	// instance is the SHA-256 of an instance in the field Digest (RFC 3230, and
	// RFC 5843), which came before Repr-Digest and says the same.
	instance = regexp.MustCompile(`(?i)(?:^|,)\s*sha-256=([A-Za-z0-9+/=]+)`)
)

// duplicates returns the further places of the same file that a response names, the best
// first, and the checksum of the file (RFC 6249). Without a checksum that can be trusted
// nothing proves that the file is the same, and there are none.
func duplicates(res *fetchers.Resource) (urls []*url.URL, sum Sum) {
	if res.Header.Get("Content-Encoding") != "" {
		return nil, Sum{} // the checksum is that of the coded content
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

// A duplicate is a further place, and how much it is preferred: the least rank is the best.
type duplicate struct {
	url  *url.URL
	rank int
}

// linked returns the further places in the field Link of a response.
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
