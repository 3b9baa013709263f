package record

import (
	"crypto/tls"
	"time"
)

// A TLS has the result of a TLS handshake, and the holder of the server's certificate.
type TLS struct {
	Version string  `json:"version"` // such as "TLS 1.3"
	Cipher  string  `json:"cipher"`  // a name of IANA
	ALPN    *string `json:"alpn"`    // the protocol above TLS, such as "h2"
	Subject *string `json:"subject"` // of the certificate, as RFC 2253 writes names
	Issuer  *string `json:"issuer"`  // of the certificate
	Expires *string `json:"expires"` // when the certificate does, as RFC 3339 has it, in UTC
}

// TLSOf returns the facts of a connection, or nil for one in clear, whose state is nil.
func TLSOf(state *tls.ConnectionState) *TLS {
	if state == nil {
		return nil
	}
	t := &TLS{
		Version: tls.VersionName(state.Version), Cipher: tls.CipherSuiteName(state.CipherSuite),
		ALPN: orNull(state.NegotiatedProtocol),
	}
	if len(state.PeerCertificates) > 0 {
		leaf := state.PeerCertificates[0]
		t.Subject, t.Issuer = orNull(leaf.Subject.String()), orNull(leaf.Issuer.String())
		t.Expires = orNull(leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return t
}
