package download

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/textproto"
	"regexp"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// StatedSum requests the checksum of the whole resource that req names, with RFC 9530 or a command
// of its protocol. The server may have to read the whole file for it. The error is ErrNoSum if the
// server announces no checksum.
func StatedSum(ctx context.Context, f fetchers.Fetcher, req *fetchers.Request) (Sum, error) {
	if err := req.Check(ctx); err != nil {
		return Sum{}, err
	}
	about := &fetchers.Request{URL: req.URL, Named: req.Named, Once: req.Once, Login: req.Login, Header: maps.Clone(req.Header), Describe: true}
	if about.Header == nil {
		about.Header = make(textproto.MIMEHeader)
	}
	about.Header.Set("Want-Repr-Digest", "sha-256=2, sha-512=1")
	res, err := fetchers.Fetch(ctx, f, about)
	if err != nil {
		return Sum{}, err
	}
	defer res.Close()
	if _, sum := duplicates(res); res.Kind == fetchers.Document && sum != (Sum{}) {
		return sum, nil
	}
	return Sum{}, fetchers.NewError("verify", req.URL, fmt.Errorf("%w: the server announces no digest", ErrNoSum))
}

// declared returns the checksums of the file that the server announced (RFC 9530). Repr-Digest is
// the digest of the whole representation with its content coding: it proves neither a range of it
// nor the decoded content. Content-Digest is the digest of this message: it does not prove a file
// whose beginning is from an earlier attempt.
func declared(req *fetchers.Request, res *fetchers.Resource, resumed bool) (sums []Sum) {
	decoded := req.Compress && res.Header.Get("Content-Encoding") != ""
	if res.Kind != fetchers.Document || decoded {
		return nil
	}
	if resumed || req.Range == (fetchers.Range{}) {
		sums = append(sums, digest(res.Header.Values("Repr-Digest")))
	}
	if !resumed {
		sums = append(sums, digest(res.Header.Values("Content-Digest")))
	}
	return sums
}

// member matches a member of a dictionary of digests: a key and a byte sequence with parameters,
// which are ignored (RFC 8941, sections 3.2 and 3.3.5).
var member = regexp.MustCompile(`^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/=]*):[ \t]*(;.*)?$`)

// digest reads a field with digests, and returns the SHA-256 or SHA-512. All other registered
// algorithms are easy to forge (RFC 9530, section 5). A malformed field counts as empty.
func digest(field []string) (sum Sum) {
	text := strings.Join(field, ",")
	if text == "" {
		return Sum{}
	}
	for part := range strings.SplitSeq(text, ",") {
		m := member.FindStringSubmatch(part)
		if m == nil {
			return Sum{}
		}
		algorithm := map[string]string{"sha-256": "sha256", "sha-512": "sha512"}[m[1]]
		octets, err := base64.StdEncoding.DecodeString(m[2])
		if err != nil {
			return Sum{}
		}
		s, err := ParseSum(algorithm + ":" + hex.EncodeToString(octets))
		if err == nil && (sum == (Sum{}) || s.algorithm <= sum.algorithm) { // prefer sha256, which is cheaper; the last of several counts
			sum = s
		}
	}
	return sum
}
