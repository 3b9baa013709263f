package transport

import (
	"crypto/tls"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A TLSPolicy says whether the connections of a scheme that is in clear are protected all the
// same, after a command of the protocol such as AUTH TLS (RFC 4217) or STARTTLS (RFC 4642).
type TLSPolicy uint8

const (
	Never     TLSPolicy = iota // in clear, unless the server insists
	IfOffered                  // protected if the server can, else in clear
	Required                   // only what leads to TLS is said in clear
)

// TLSConfig returns the settings for TLS with a host, whose name the certificate must have
// unless base has a ServerName. base has the settings of the Fetcher and is not changed; nil
// means the usual ones. Unless the user named the host, it gets no client certificate, and no
// session is resumed in which it may have got one.
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
