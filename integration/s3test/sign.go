package s3test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"time"
)

// emptyContent is the SHA-256 of no content.
const emptyContent = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// maxSkew is how far the clock of a client may be off.
const maxSkew = 15 * time.Minute

// verify judges the signature of a request (Signature Version 4), and returns the error of S3 that
// it leads to; a code "" is none. content is the SHA-256 of its content.
func (s *Server) verify(r *http.Request, bucket, content string) (status int, code, more string) {
	authorization, signed := r.Header["Authorization"]
	right := s.region(bucket)
	if !signed {
		switch asked := hostRegion(r.Host); {
		case asked != "" && asked != right:
			return 301, "PermanentRedirect", "<Endpoint>" + bucket + ".s3." + right + ".amazonaws.com</Endpoint>"
		case len(s.users) > 0:
			return 403, "AccessDenied", ""
		}
		return 0, "", ""
	}
	scheme, rest, _ := strings.Cut(authorization[0], " ")
	fields := make(map[string]string)
	for field := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[key] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	if scheme != "AWS4-HMAC-SHA256" || len(scope) != 5 || len(authorization) > 1 {
		return 400, "AuthorizationHeaderMalformed", ""
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	secret, known := s.users[scope[0]]
	names := strings.Split(fields["SignedHeaders"], ";")
	switch {
	case err != nil, scope[1] != at.Format("20060102"), scope[3] != "s3", scope[4] != "aws4_request", !covered(r, names):
		return 403, "AccessDenied", ""
	case scope[2] != right:
		return 400, "AuthorizationHeaderMalformed", "<Region>" + right + "</Region>"
	case s.now().Sub(at).Abs() > maxSkew:
		return 403, "RequestTimeTooSkewed", "<ServerTime>" + s.now().Format(time.RFC3339) + "</ServerTime>"
	case !known:
		return 403, "InvalidAccessKeyId", "<AWSAccessKeyId>" + escaped(scope[0]) + "</AWSAccessKeyId>"
	case r.Header.Get("X-Amz-Security-Token") != s.token:
		return 400, "InvalidToken", ""
	case !s.isSum(r.Header.Get("X-Amz-Content-Sha256"), content):
		return 400, "XAmzContentSHA256Mismatch", ""
	}
	key := []byte("AWS4" + secret)
	for _, part := range scope[1:] {
		key = mac(key, part)
	}
	sum := sha256.Sum256([]byte(canonical(r, names)))
	text := strings.Join([]string{scheme, r.Header.Get("X-Amz-Date"), strings.Join(scope[1:], "/"), hex.EncodeToString(sum[:])}, "\n")
	if want := hex.EncodeToString(mac(key, text)); want != fields["Signature"] {
		return 403, "SignatureDoesNotMatch", "<StringToSign>" + escaped(text) + "</StringToSign>"
	}
	return 0, "", ""
}

// isSum reports whether a request may have this sum of its content. A Writable server takes those that leave
// the content unsigned, too.
func (s *Server) isSum(claimed, content string) bool {
	return claimed == content || claimed == "UNSIGNED-PAYLOAD" && s.written != nil
}

// hostRegion returns the region of a host below amazonaws.com, or "".
func hostRegion(host string) string {
	rest, ok := strings.CutSuffix(host, ".amazonaws.com")
	if !ok {
		return ""
	}
	return rest[strings.LastIndexByte(rest, '.')+1:]
}

// covered reports whether the names of signed fields have all that have to be signed.
func covered(r *http.Request, names []string) bool {
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !slices.Contains(names, name) {
			return false
		}
	}
	return slices.Contains(names, "host") && slices.IsSorted(names)
}

// canonical returns the request as it is signed. In its target all octets that are not unreserved
// are escaped, and no others.
func canonical(r *http.Request, names []string) string {
	var parts []string
	for name, values := range r.URL.Query() {
		for _, value := range values {
			parts = append(parts, spelled(name)+"="+spelled(value))
		}
	}
	slices.Sort(parts)
	lines := []string{r.Method, strings.ReplaceAll(spelled(r.URL.Path), "%2F", "/"), strings.Join(parts, "&")}
	for _, name := range names {
		value := strings.Join(r.Header.Values(name), ",")
		if name == "host" {
			value = r.Host
		}
		lines = append(lines, name+":"+strings.TrimSpace(value))
	}
	lines = append(lines, "", strings.Join(names, ";"), r.Header.Get("X-Amz-Content-Sha256"))
	return strings.Join(lines, "\n")
}

// spelled returns s with escapes.
func spelled(s string) string {
	return strings.ReplaceAll(neturl.QueryEscape(s), "+", "%20")
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
