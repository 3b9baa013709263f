package s3test

import (
	"time"

	"github.com/seed1ea3422f/fetch/integration/webtest"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of 127.0.0.1.
func Listen(addr string) Option {
	return func(s *Server) { s.web = append(s.web, webtest.Listen(addr)) }
}

// TLS makes every connection a TLS connection, and the URL one of the scheme https.
func TLS() Option { return func(s *Server) { s.web = append(s.web, webtest.TLS()) } }

// MaxConnections answers each further connection with 503, and closes it, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.web = append(s.web, webtest.MaxConnections(n)) }
}

// User accepts requests that are signed with the secret of an access key, and no others. There may
// be several.
func User(accessKey, secret string) Option { return func(s *Server) { s.users[accessKey] = secret } }

// SessionToken wants every signed request to have this token.
func SessionToken(token string) Option { return func(s *Server) { s.token = token } }

// Region puts a bucket into a region. The name "" means all other buckets. The default is
// us-east-1. The answer to a request for another region has the right one.
func Region(bucket, region string) Option { return func(s *Server) { s.regions[bucket] = region } }

// Clock puts the clock of the server forward.
func Clock(ahead time.Duration) Option { return func(s *Server) { s.clock = ahead } }

// PageSize is how many names a page of a listing has at most. Without it that is 1000.
func PageSize(n int) Option { return func(s *Server) { s.page = n } }

// PlainNames makes listings write names without encoding, even if the request wants one.
func PlainNames() Option { return func(s *Server) { s.plain = true } }

// Object adds an object whose key no file can have, such as "/a//b" or "a/", or a version of
// one. The version "" is the latest.
func Object(bucket, key, version, content string) Option {
	return func(s *Server) { s.objects = append(s.objects, object{bucket, key, version, content}) }
}

type object struct{ bucket, key, version, content string }

// Deny refuses every request for an object or a prefix, "bucket/key", with AccessDenied.
func Deny(path string) Option { return func(s *Server) { s.denied = append(s.denied, path) } }
