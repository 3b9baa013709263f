package stack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// An authority signs certificates and lists of those that are revoked.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

var serial int64 // of the last certificate

// newAuthority returns an authority whose certificate another one signs, or itself if that is
// nil.
func newAuthority(t *testing.T, name string, by *authority) *authority {
	t.Helper()
	a := new(authority)
	a.cert, a.key = sign(t, by, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	})
	return a
}

// sign returns the certificate of a template with a new key. It is signed by that key if by is
// nil.
func sign(t *testing.T, by *authority, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial++
	template.SerialNumber = big.NewInt(serial)
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	issuer, signer := template, key
	if by != nil {
		issuer, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// leaf returns the certificate of a server on loopback, with those that lead to the root.
func (a *authority) leaf(t *testing.T, between ...*authority) tls.Certificate {
	t.Helper()
	cert, key := sign(t, a, &x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	pair := tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
	for _, b := range between {
		pair.Certificate = append(pair.Certificate, b.cert.Raw)
	}
	return pair
}

// file writes the certificate of a into a file.
func (a *authority) file(t *testing.T) string {
	t.Helper()
	return write(t, "ca.pem", inPEM("CERTIFICATE", a.cert.Raw))
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// pairFile writes a certificate and its key into a file.
func pairFile(t *testing.T, pair tls.Certificate) string {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "pair.pem", inPEM("CERTIFICATE", pair.Certificate[0])+inPEM("PRIVATE KEY", key))
}

// secureServer starts an https server.
func secureServer(t *testing.T, config *tls.Config, handler nethttp.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust it are meant
	server.TLS = config
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// hello answers with the version and the cipher of the connection.
func hello(w nethttp.ResponseWriter, r *nethttp.Request) {
	io.WriteString(w, tls.VersionName(r.TLS.Version)+" "+tls.CipherSuiteName(r.TLS.CipherSuite)+" "+r.TLS.CurveID.String())
}

// body fetches a URL by the stack of a command line, and returns its content.
func body(t *testing.T, url string, args ...string) (string, error) {
	t.Helper()
	st := build(t, append(args, "--any-port", "--retry", "0")...)
	res, err := st.Fetcher.Fetch(t.Context(), request(t, st, url))
	if err != nil {
		return "", err
	}
	defer res.Close()
	content, err := io.ReadAll(res.Body)
	return string(content), err
}
