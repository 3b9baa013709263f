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

// StatedSum asks a server for the checksum of the whole resource that req names: by RFC 9530,
// or as its protocol can. The server may have to read the whole file for that. The error is
// ErrNoSum if the server announces none.
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
	return Sum{}, fetchers.NewError("verify", req.URL, fmt.Errorf("%w: the server does not say what it hashes to", ErrNoSum))
}

// declared returns the checksums of the file that the server announced (RFC 9530). A
// Repr-Digest is about the whole representation, in its coding: it does not prove a range of
// it, nor the content without the coding. A Content-Digest is about the content of this
// message: it does not prove a file whose beginning was there before.
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

// member is a member of a dictionary of digests: a key, and an octet sequence with
// parameters, which mean nothing here (RFC 8941, sections 3.2 and 3.3.5).
var member = regexp.MustCompile(`^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/=]*):[ \t]*(;.*)?$`)

// digest reads a field with digests, and returns one that can be trusted: all others that
// have names are easy to forge (RFC 9530, section 5). A field that is not well formed counts
// as none.
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
		if err == nil && (sum == (Sum{}) || s.algorithm <= sum.algorithm) { // sha256 costs less; the last of several counts
			sum = s
		}
	}
	return sum
}
