package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"log"
	bigint "math/big"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// secureServers starts servers whose certificates have an authority of their own, and returns the
// function that sets the variables of a script. $SECURE is an https server with the key $PIN.
// $SECUREPROXY is an https proxy that admits clients with a certificate of the authority.
// $SOCKSHOST is a SOCKS4 proxy for joe, and $SOCKET the Unix socket of an http server. root.pem is
// the certificate of the authority, client.pem has a certificate for the proxy and its key,
// none.crl revokes no certificate, and revoked.crl revokes the certificate of $SECURE.
func secureServers(t *testing.T) func(env *testscript.Env) error {
	root := &x509.Certificate{
		Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	ca := signed(t, root, tls.Certificate{})
	leaf := func() tls.Certificate {
		return signed(t, &x509.Certificate{
			Subject: pkix.Name{CommonName: "leaf"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}, ca)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca.Leaf)
	start := func(h nethttp.Handler, config *tls.Config) string {
		server := httptest.NewUnstartedServer(h)
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // the tests have clients that are refused
		server.TLS = config
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.URL
	}
	mine, client := leaf(), leaf()
	server := start(handler(), &tls.Config{Certificates: []tls.Certificate{mine}})
	proxy := start(nethttp.HandlerFunc(forward), &tls.Config{Certificates: []tls.Certificate{leaf()}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})
	key, err := x509.MarshalPKCS8PrivateKey(client.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	socks, socket := forwardSOCKS(t), unixServer(t)
	pin := sha256.Sum256(mine.Leaf.RawSubjectPublicKeyInfo)
	return func(env *testscript.Env) error {
		env.Setenv("SECURE", server)
		env.Setenv("SECUREPROXY", proxy)
		env.Setenv("SOCKSHOST", socks)
		env.Setenv("SOCKET", socket)
		env.Setenv("PIN", "sha256//"+base64.StdEncoding.EncodeToString(pin[:]))
		write := func(name string, blocks ...*pem.Block) (err error) {
			var text []byte
			for _, b := range blocks {
				text = append(text, pem.EncodeToMemory(b)...)
			}
			return os.WriteFile(filepath.Join(env.WorkDir, name), text, 0o600)
		}
		return errors.Join(
			write("root.pem", &pem.Block{Type: "CERTIFICATE", Bytes: ca.Certificate[0]}),
			write("client.pem", &pem.Block{Type: "CERTIFICATE", Bytes: client.Certificate[0]}, &pem.Block{Type: "PRIVATE KEY", Bytes: key}),
			write("client.key", &pem.Block{Type: "PRIVATE KEY", Bytes: key}),
			write("none.crl", &pem.Block{Type: "X509 CRL", Bytes: revoking(t, ca)}),
			write("revoked.crl", &pem.Block{Type: "X509 CRL", Bytes: revoking(t, ca, mine.Leaf)}),
		)
	}
}

// unixServer starts an http server at a Unix socket, and returns the path of the socket.
func unixServer(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &nethttp.Server{Handler: handler()}}
	server.Start()
	t.Cleanup(server.Close)
	return path
}

// signed returns a certificate of a template with a new key, signed by by, or by the new key itself
// if by has no certificate.
func signed(t *testing.T, template *x509.Certificate, by tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, bigint.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	issuer, signer := by.Leaf, by.PrivateKey
	if signer == nil {
		issuer, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// revoking returns the list of an authority that revokes some certificates.
func revoking(t *testing.T, by tls.Certificate, certs ...*x509.Certificate) []byte {
	t.Helper()
	list := &x509.RevocationList{Number: bigint.NewInt(1), ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(time.Hour)}
	for _, c := range certs {
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: c.SerialNumber, RevocationTime: time.Now()})
	}
	der, err := x509.CreateRevocationList(rand.Reader, list, by.Leaf, by.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	return der
}
