package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// makeCertificates writes an authority and the certificates that it signed for this machine:
//
//	ca.crt      the authority that clients trust
//	server.crt  localhost, 127.0.0.1 and ::1
//	server.key  its key
//	server.pem  key, certificate and authority in one file
//
// The keys are RSA, because several servers have other directives for newer ones. Valid
// certificates of an earlier run are kept, so that a running server and a client that has read
// ca.crt still agree.
func makeCertificates(dir string) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	if good(filepath.Join(dir, "server.pem")) {
		return nil
	}
	caKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "authority of the tests"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    ca.NotBefore,
		NotAfter:     ca.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, server, ca, &key.PublicKey, caKey)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	caPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})
	crt := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	all := append(append(append([]byte{}, keyPEM...), crt...), caPEM...)
	for _, f := range []struct {
		name string
		pem  []byte
		mode os.FileMode
	}{
		{"ca.crt", caPEM, 0o644},
		{"server.crt", crt, 0o644},
		{"server.key", keyPEM, 0o600},
		{"server.pem", all, 0o600}, // last: good looks at this one
	} {
		if err := writeFile(filepath.Join(dir, f.name), f.pem, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// good reports whether the file holds a pair that is valid for another day.
func good(name string) bool {
	pair, err := tls.LoadX509KeyPair(name, name)
	return err == nil && time.Now().AddDate(0, 0, 1).Before(pair.Leaf.NotAfter)
}
