// Package certificate has the certificate of the test servers.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"sync"
	"time"
)

// Loopback returns a certificate for 127.0.0.1, ::1 and localhost that vouches for itself,
// and the settings of a server that shows it. They are the same for every server of
// the process.
var Loopback = sync.OnceValues(func() (*tls.Config, *x509.Certificate) {
	return New([]string{"localhost"}, net.IPv4(127, 0, 0, 1), net.IPv6loopback)
})

// New returns a certificate for names and addresses that vouches for itself for a day, and
// the settings of a server that shows it.
func New(names []string, addrs ...net.IP) (*tls.Config, *x509.Certificate) {
	return Until(time.Now().Add(24*time.Hour), names, addrs...)
}

// Until is New for a certificate that is good until end.
func Until(end time.Time, names []string, addrs ...net.IP) (*tls.Config, *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic("certificate: " + err.Error())
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "test server"},
		NotBefore:             end.Add(-25 * time.Hour),
		NotAfter:              end,
		DNSNames:              names,
		IPAddresses:           addrs,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic("certificate: " + err.Error())
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic("certificate: " + err.Error())
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, leaf
}

// Pool returns the certificates by which a client trusts a server with c. c may be nil.
func Pool(c *x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	if c != nil {
		pool.AddCert(c)
	}
	return pool
}

// Client returns the settings of a client that trusts c and connects to a host, or nil if
// c is nil.
func Client(c *x509.Certificate, host string) *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{RootCAs: Pool(c), ServerName: host}
}
