package url

import (
	"net/netip"
	"strings"
)

// S3 is what an s3 URL means: s3://bucket/key, as the tools of Amazon have it.
//
// A key that is empty or ends in a slash is the beginning of the names of a listing:
// s3://bucket/logs/ lists what is in logs. Any other key is that of an object.
type S3 struct {
	Bucket string

	// Key is the decoded key, octet for octet. An element of it is neither "." nor "..", which
	// intermediaries resolve, so that another bucket could be meant.
	Key string

	// Version is the version of the object (?versionId=), decoded; "" is the latest.
	Version string
}

// maxKey is how many octets a key may have.
const maxKey = 1024

const versionField = "?versionId="

// S3 reads u as an s3 URL. It is an error if the bucket has no valid name, a port is given, the
// key is longer than S3 allows or has an element of dots alone, or the query is not one version.
func (u *URL) S3() (S3, error) {
	switch {
	case u == nil || u.Scheme != "s3":
		return S3{}, errorf(-1, "not an s3 URL")
	case u.User != nil || u.Port != 0:
		return S3{}, errorf(-1, "an s3 URL has neither a user nor a port")
	case !isBucket(u.Host):
		return S3{}, errorf(-1, "bad name of a bucket: 3 to 63 lower-case letters, digits, hyphens and dots")
	}
	s := S3{Bucket: u.Host, Key: unescape(strings.TrimPrefix(u.Path, "/"))}
	if len(s.Key) > maxKey {
		return S3{}, errorf(-1, "a key of more than %d octets", maxKey)
	}
	for element := range strings.SplitSeq(s.Key, "/") {
		if element == "." || element == ".." {
			return S3{}, errorf(-1, "an element %q in the key", element)
		}
	}
	if u.Query == "" {
		return s, nil
	}
	version, ok := strings.CutPrefix(u.Query, versionField)
	if !ok || version == "" || strings.ContainsAny(version, "&=?") || s.IsListing() {
		return S3{}, errorf(-1, "a query that is not ?versionId= of an object")
	}
	s.Version = unescape(version)
	return s, nil
}

// IsListing reports whether s is a listing, and not an object.
func (s S3) IsListing() bool { return s.Key == "" || strings.HasSuffix(s.Key, "/") }

// URL returns the s3 URL that means s.
func (s S3) URL() *URL {
	u := &URL{Scheme: "s3", Slashes: true, Authority: Authority{Host: s.Bucket}, Path: "/" + escape(s.Key, inPath)}
	if s.Version != "" {
		u.Query = versionField + escape(s.Version, inName)
	}
	return u
}

// isBucket reports whether name is one that S3 allows: labels of a DNS name that is no address.
// So a bucket is never more than the first labels of a host, or one element of a path.
func isBucket(name string) bool {
	if len(name) < 3 || len(name) > 63 || strings.HasPrefix(name, "xn--") {
		return false
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isDigit(c) && c != '-' && (c < 'a' || c > 'z') {
				return false
			}
		}
	}
	return true
}
