package transport

import (
	"crypto/tls"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A TLSPolicy decides whether a connection without TLS is upgraded by a command of the protocol,
// such as AUTH TLS (RFC 4217) or STARTTLS (RFC 4642).
type TLSPolicy uint8

const (
	Never     TLSPolicy = iota // no TLS, unless the server requires it
	IfOffered                  // TLS if the server supports it
	Required                   // before TLS, only the commands that start it are sent
)

// TLSConfig returns the TLS configuration for a host, whose name the certificate must have unless
// base has a ServerName. base is the configuration of the Fetcher and is not changed; nil means the
// defaults. Unless the Namer is ByUser, it has no client certificate, and resumes no session in
// which one may have been sent.
func TLSConfig(base *tls.Config, host string, named fetchers.Namer) *tls.Config {
	config := new(tls.Config)
	if base != nil {
		config = base.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	if named != fetchers.ByUser {
		config.Certificates, config.GetClientCertificate, config.ClientSessionCache = nil, nil, nil
	}
	return config
}
