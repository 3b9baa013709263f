package fault_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// How a connection of TLS ends.
const (
	notified = "with close_notify"
	bare     = "without"
	torn     = "reset"
)

// tlsSays makes a server of https that answers every request with these octets.
func tlsSays(end string, octets ...string) func(*scene) string {
	return func(s *scene) string {
		config, cert := certificate.Loopback()
		s.trust = &tls.Config{RootCAs: certificate.Pool(cert)}
		return "https://" + s.listen(func(tcp *net.TCPConn) {
			c := tls.Server(tcp, config)
			if _, err := nethttp.ReadRequest(bufio.NewReader(c)); err != nil {
				return
			}
			io.WriteString(c, strings.Join(octets, ""))
			switch end {
			case notified:
				c.CloseWrite()
			case torn:
				time.Sleep(20 * time.Millisecond)
				tcp.SetLinger(0)
				return
			}
			tcp.CloseWrite()
			tcp.SetReadDeadline(time.Now().Add(5 * time.Second))
			io.Copy(io.Discard, tcp)
		}) + "/f.bin"
	}
}

// certified makes a server with a certificate that no client may trust.
func certified(name string, until time.Time) func(*scene) string {
	return func(s *scene) string {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			s.Fatal(err)
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
			DNSNames: []string{name}, IsCA: true, BasicConstraintsValid: true,
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		if err != nil {
			s.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(der)
		if err != nil {
			s.Fatal(err)
		}
		s.trust = &tls.Config{RootCAs: certificate.Pool(leaf)}
		config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
		s.hosts["good.test:443"] = s.listen(func(tcp *net.TCPConn) {
			c := tls.Server(tcp, config)
			if n, _ := c.Read(make([]byte, 1)); n > 0 {
				s.accuse("a request was sent")
			}
		})
		return "https://good.test/f.bin"
	}
}

const old = "HTTP/1.0 200 OK\r\n\r\n"

var overHTTPS = []trial{
	{name: "https with a length", serve: tlsSays(notified, ok, length, "\r\n", body), want: mustBeRight},
	{name: "https without a length, half, no close_notify", serve: tlsSays(bare, old, halfBody), want: mustFail},
	{name: "https without a length, all, no close_notify", serve: tlsSays(bare, old, body), want: mustFail},
	// An orderly end of TLS means only that the server has ended it.
	{name: "https without a length, half, close_notify", serve: tlsSays(notified, old, halfBody), want: []verdict{unconfirmed, believed}},
	{name: "https with a length, all, no close_notify", serve: tlsSays(bare, ok, length, "\r\n", body), want: mustBeRight},
	{name: "https with a length, half, no close_notify", serve: tlsSays(bare, ok, length, "\r\n", halfBody), want: mustFail},
	{name: "https with a length, half, close_notify", serve: tlsSays(notified, ok, length, "\r\n", halfBody), want: mustFail},
	{name: "https in chunks, half, no close_notify", serve: tlsSays(bare, goodHalf), want: mustFail},
	{name: "https with a length, reset at half", serve: tlsSays(torn, ok, length, "\r\n", halfBody), want: mustFail},
	{name: "an expired certificate", serve: certified("good.test", time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)), want: mustFail},
	{name: "a certificate for another host", serve: certified("evil.test", time.Now().AddDate(0, 1, 0)), want: mustFail},
	{name: "plain HTTP at the port of https", serve: func(s *scene) string { return strings.Replace(s.http(good), "http:", "https:", 1) }, want: mustFail},
	{name: "a login does not follow from https to http", serve: func(s *scene) string {
		open := s.http(func(v *visit) {
			if v.req.Header.Get("Authorization") != "" {
				s.accuse("the login went over plain http")
			}
			good(v)
		})
		secure := httptest.NewTLSServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if r.Header.Get("Authorization") == "" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(nethttp.StatusUnauthorized)
				return
			}
			nethttp.Redirect(w, r, open, nethttp.StatusFound)
		}))
		s.Cleanup(secure.Close)
		s.trust = &tls.Config{RootCAs: certificate.Pool(secure.Certificate())}
		return "https://user:s3cret@" + host(secure.URL) + "/f.bin"
	}, want: mustBeRight},
}
