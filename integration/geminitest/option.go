package geminitest

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"net"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of 127.0.0.1:
// "127.0.0.1:1965" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections answers each further request with 41, while n connections are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// Until gives the server a certificate of its own, which is good until end.
func Until(end time.Time) Option {
	return func(s *Server) {
		s.tls, s.certificate = certificate.Until(end, []string{"localhost"}, net.IPv4(127, 0, 0, 1), net.IPv6loopback)
	}
}

// Input adds a page that wants an answer to a question (status 10). The function gets the
// answer, decoded, and returns the octets of the page, of type text/gemini. It is called by
// several goroutines.
func Input(path, question string, page func(words string) string) Option {
	return func(s *Server) { s.inputs[path] = input{10, question, page} }
}

// Secret is Input for an answer that is a secret (status 11).
func Secret(path, question string, page func(words string) string) Option {
	return func(s *Server) { s.inputs[path] = input{11, question, page} }
}

// Private wants a client certificate for a path (status 60). If fingerprints are given it has to
// have one of them, as [Fingerprint] returns them (status 61).
func Private(path string, fingerprints ...string) Option {
	return func(s *Server) { s.private[path] = fingerprints }
}

// Fingerprint returns the SHA-256 of a certificate in hexadecimal digits.
func Fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return hex.EncodeToString(sum[:])
}

// Reply answers a request for a path, with its query, by these octets, and closes. If several
// fit the first one given is used.
func Reply(path, octets string) Option {
	return ReplyFunc(path, func(Request) (string, bool) { return octets, true })
}

// ReplyFunc answers a request as [Reply] does, with the octets that the function returns, or
// leaves the request to other options and to the server if the function reports false. The path
// "" stands for any. The function is called by several goroutines.
func ReplyFunc(path string, reply func(Request) (string, bool)) Option {
	return func(s *Server) {
		s.replies.AddFunc("", func(r Request) (string, bool) {
			if path != "" && path != r.Path+r.Query {
				return "", false
			}
			return reply(r)
		})
	}
}

// NoNotify closes connections without the close_notify of TLS.
func NoNotify() Option {
	return func(s *Server) { s.noNotify = true }
}
