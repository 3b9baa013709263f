package gophertest

import (
	"bufio"
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

// TLS lets clients speak TLS from the first octet, for which the URL is one of the
// scheme gophers. Those who do not are served on the same port. The server's
// certificate is for 127.0.0.1 and localhost, and good in the eyes of those who
// trust [Server.Roots].
func TLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate() }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns what a client must trust to believe the server, and any other of
// the process.
func (s *Server) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	if s.certificate != nil {
		pool.AddCert(s.certificate)
	}
	return pool
}

// certificate makes a certificate that vouches for itself, the same for every
// server of the process.
var certificate = sync.OnceValues(func() (*tls.Config, *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic("gophertest: " + err.Error())
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "gophertest"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic("gophertest: " + err.Error())
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		panic("gophertest: " + err.Error())
	}
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	return config, certificate
})

// sniff returns the connection, or TLS on it if that is how the client begins.
func (s *Server) sniff(tcp *net.TCPConn) (net.Conn, error) {
	if s.tls == nil {
		return tcp, nil
	}
	p := &peeked{Conn: tcp, in: bufio.NewReader(tcp)}
	first, err := p.in.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != handshake {
		return p, nil
	}
	return tls.Server(p, s.tls), nil
}

// handshake is the first octet of a TLS connection, and of no request.
const handshake = 0x16

// A peeked connection is one of which the beginning has been looked at.
type peeked struct {
	net.Conn
	in *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.in.Read(b) }
