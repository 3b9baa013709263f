package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"
)

// noContent is the SHA-256 of empty content, which all requests have.
const noContent = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// A signer signs requests with AWS Signature Version 4.
type signer struct {
	Credentials
	region, service string
	at              time.Time
}

const (
	algorithm = "AWS4-HMAC-SHA256"
	basic     = "20060102T150405Z" // ISO 8601 in its basic form
)

// date returns the time of the signature, for the field X-Amz-Date.
func (s *signer) date() string { return s.at.UTC().Format(basic) }

// authorization returns the Authorization field of a request. Path and query are as sent: escaped
// in the form of S3, and the query sorted. fields are the signed header fields by their names in
// lower case, including host.
func (s *signer) authorization(method, path, query string, fields map[string]string) string {
	names := slices.Sorted(maps.Keys(fields))
	var request strings.Builder
	request.WriteString(method + "\n" + path + "\n" + query + "\n")
	for _, name := range names {
		request.WriteString(name + ":" + strings.Join(strings.Fields(fields[name]), " ") + "\n")
	}
	signed := strings.Join(names, ";")
	request.WriteString("\n" + signed + "\n" + noContent)

	day := s.date()[:len("20060102")]
	scope := day + "/" + s.region + "/" + s.service + "/aws4_request"
	sum := sha256.Sum256([]byte(request.String()))
	text := algorithm + "\n" + s.date() + "\n" + scope + "\n" + hex.EncodeToString(sum[:])

	key := []byte("AWS4" + s.SecretKey)
	for _, part := range []string{day, s.region, s.service, "aws4_request", text} {
		key = mac(key, part)
	}
	return algorithm + " Credential=" + s.AccessKey + "/" + scope + ", SignedHeaders=" + signed + ", Signature=" + hex.EncodeToString(key)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// escape returns s with all bytes escaped except the unreserved characters and those of keep, as
// the signature requires.
func escape(s, keep string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~"+keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}
