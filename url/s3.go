package url

import (
	"net/netip"
	"strings"
)

// S3 holds the parts of an s3 URL: s3://bucket/key, as in the tools of Amazon.
//
// An empty key, or a key that ends in a slash, is the prefix of a listing: s3://bucket/logs/ lists
// the objects below logs. Any other key names an object.
type S3 struct {
	Bucket string

	// Key is the decoded key, byte for byte. No element of it is "." or "..": an intermediary could
	// resolve those, and the request would reach another bucket.
	Key string

	// Version is the version of the object (?versionId=), decoded; "" is the latest.
	Version string
}

// maxKey is the maximum length of a key in bytes.
const maxKey = 1024

const versionField = "?versionId="

// S3 reads u as an s3 URL. It is an error if the bucket name is invalid, if the URL has a port, if
// the key is longer than S3 allows or has an element "." or "..", or if the query is anything but
// one version.
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
		return S3{}, errorf(-1, "a key of more than %d bytes", maxKey)
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

// IsListing reports whether s names a listing rather than an object.
func (s S3) IsListing() bool { return s.Key == "" || strings.HasSuffix(s.Key, "/") }

// URL returns the s3 URL for s.
func (s S3) URL() *URL {
	u := &URL{Scheme: "s3", Slashes: true, Authority: Authority{Host: s.Bucket}, Path: "/" + escape(s.Key, inPath)}
	if s.Version != "" {
		u.Query = versionField + escape(s.Version, inName)
	}
	return u
}

// isBucket reports whether S3 allows name for a bucket: labels of a DNS name, and not an IP
// address. A valid name therefore adds only labels to a host, or one element to a path.
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
