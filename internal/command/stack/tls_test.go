package stack

import (
	"bufio"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/record"
)

// A shaker is a server whose TLS handshake fails.
type shaker struct {
	config  *tls.Config
	upgrade []string // its text before TLS: a greeting, and the answer to each line
	end     func(*net.TCPConn)
}

// serve accepts connections and returns the address.
func (s shaker) serve(t *testing.T) string {
	t.Helper()
	return accept(t, func(c net.Conn) { s.talk(c.(*net.TCPConn)) })
}

func (s shaker) talk(c *net.TCPConn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if in := bufio.NewReader(c); len(s.upgrade) > 0 {
		io.WriteString(c, s.upgrade[0])
		for _, answer := range s.upgrade[1:] {
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
			io.WriteString(c, answer)
		}
	}
	if s.end != nil {
		c.Read(make([]byte, 1)) // the first octet of the handshake
		s.end(c)
		return
	}
	secure := tls.Server(c, s.config)
	if secure.Handshake() != nil { // the server has sent an alert
		leave(c)
	}
}

// leave closes a connection in order, so that no reset discards the octets sent.
func leave(c *net.TCPConn) {
	c.CloseWrite()
	io.Copy(io.Discard, c)
}

// If a server ends the TLS handshake by an alert, or without one, or has no TLS, the
// exit status is 35, in every protocol over TLS and for a proxy over TLS. If a
// certificate is not trusted, it is 60.
func TestTLSFailuresAreOneClass(t *testing.T) {
	signed := httptest.NewUnstartedServer(nil)
	signed.Config.ErrorLog = log.New(io.Discard, "", 0)
	signed.StartTLS()
	t.Cleanup(signed.Close)
	ca := write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed.Certificate().Raw})))
	config := func(change func(*tls.Config)) *tls.Config {
		c := &tls.Config{Certificates: signed.TLS.Certificates}
		change(c)
		return c
	}
	const greeting = "220 ready\r\n"
	ftp := []string{greeting, "234 begin\r\n"}
	news := []string{"200 ready\r\n", "200 ready\r\n", "101 capabilities\r\nSTARTTLS\r\n.\r\n", "382 begin\r\n"}
	for _, failure := range []struct {
		name string
		shaker
		flags  []string
		status int
		said   string
	}{
		{"TLS 1.3 with a certificate of the client", shaker{config: config(func(c *tls.Config) { c.ClientAuth, c.MinVersion = tls.RequireAnyClientCert, tls.VersionTLS13 })}, []string{"--cacert", ca}, 35, "certificate required"},
		{"TLS 1.2 with a certificate of the client", shaker{config: config(func(c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12 })}, []string{"--cacert", ca}, 35, "remote error: tls: "},
		{"another version", shaker{config: config(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 })}, []string{"--cacert", ca, "--tlsv1.3"}, 35, "protocol version not supported"},
		{"no certificate for us", shaker{config: &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil }}}, []string{"--cacert", ca}, 35, "remote error: tls: "},
		{"an end in the handshake", shaker{end: leave}, nil, 35, "during the handshake"},
		{"a reset in the handshake", shaker{end: func(c *net.TCPConn) { c.SetLinger(0) }}, nil, 35, "connection reset"},
		{"no TLS at all", shaker{end: func(c *net.TCPConn) {
			io.WriteString(c, "530 what do you mean by that?\r\n")
			leave(c)
		}}, nil, 35, "first record does not look like a TLS handshake"},
		{"a certificate that is not trusted", shaker{config: config(func(*tls.Config) {})}, nil, 60, "certificate"},
	} {
		for _, way := range []struct {
			url     string // %s is the address
			upgrade []string
			flags   []string
		}{
			{"https://%s/x", nil, nil},
			{"https://%s/x", nil, []string{"--http1.1"}},
			{"http://h.example/x", nil, []string{"-x", "https://%s"}},
			{"https://h.example/x", nil, []string{"-x", "https://%s"}},
			{"ftp://h.example/x", nil, []string{"-p", "-x", "https://%s"}},
			{"ftps://%s/x", nil, nil},
			{"ftp://%s/x", ftp, []string{"--ssl-reqd"}},
			{"gophers://%s/0x", nil, nil},
			{"nntps://%s/a.group/1", nil, nil},
			{"nntp://%s/a.group/1", news, []string{"--ssl-reqd"}},
			{"telnets://%s/", nil, []string{"--banner=10"}},
		} {
			t.Run(failure.name+"/"+way.url+" "+strings.Join(way.flags, " "), func(t *testing.T) {
				server := failure.shaker
				server.upgrade = way.upgrade
				addr := server.serve(t)
				args := append([]string{"--any-port", "--retry", "0"}, failure.flags...)
				for _, flag := range way.flags {
					args = append(args, strings.ReplaceAll(flag, "%s", addr))
				}
				st := build(t, args...)
				res, err := st.Fetcher.Fetch(t.Context(), request(t, st, strings.ReplaceAll(way.url, "%s", addr)))
				if err == nil { // in TLS 1.3, a server sees the certificate after the handshake of the client
					_, err = io.Copy(io.Discard, res.Body)
					res.Close()
				}
				if err == nil {
					t.Fatal("there is no error")
				}
				if class, status := record.Classify(err); class != record.ClassTLS || status != failure.status {
					t.Errorf("status %d, class %s, want %d: %v", status, class, failure.status, err)
				}
				if !strings.Contains(err.Error(), failure.said) {
					t.Errorf("the error is %q, want %q", err, failure.said)
				}
			})
		}
	}
}
