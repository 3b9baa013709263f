package http_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An unkind is a server that handles every request with answer, and then closes the connection.
type unkind struct {
	listener net.Listener
	answer   func(c *connection)
	wg       sync.WaitGroup
}

// A connection is the server's side. Writes after an error are dropped. It allocates no memory for
// the data it sends, so that a test can measure the allocations of the client.
type connection struct {
	net.Conn
	tcp     *net.TCPConn
	request string
	broken  bool
	buf     []byte
}

// serve starts an unkind server, which speaks TLS if config is not nil, and
// returns its URL.
func serve(t *testing.T, config *tls.Config, answer func(c *connection)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &unkind{listener: listener, answer: answer}
	t.Cleanup(func() { listener.Close(); s.wg.Wait() })
	s.wg.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.talk(c.(*net.TCPConn), config) })
		}
	})
	scheme := "http"
	if config != nil {
		scheme = "https"
	}
	return scheme + "://" + listener.Addr().String() + "/"
}

func (s *unkind) talk(tcp *net.TCPConn, config *tls.Config) {
	defer tcp.Close()
	c := &connection{Conn: tcp, tcp: tcp, buf: make([]byte, 1<<16)}
	if config != nil {
		c.Conn = tls.Server(tcp, config)
	}
	for in := bufio.NewReader(c.Conn); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if c.request += line; line == "\r\n" {
			break
		}
	}
	s.answer(c)
	if !c.broken {
		tcp.CloseWrite()
		tcp.SetReadDeadline(time.Now().Add(5 * time.Second))
		io.Copy(io.Discard, tcp) // else the close would become a reset
	}
}

// say sends text, and head sends header lines and the empty one.
func (c *connection) say(text string) bool {
	for text != "" {
		n := copy(c.buf[:cap(c.buf)], text)
		if _, err := c.Conn.Write(c.buf[:n]); err != nil {
			return false
		}
		text = text[n:]
	}
	return true
}

// sayf is say with a format.
func (c *connection) sayf(format string, args ...any) bool {
	c.buf = fmt.Appendf(c.buf[:0], format, args...)
	_, err := c.Conn.Write(c.buf)
	return err == nil
}

func (c *connection) head(lines ...string) { c.say(strings.Join(lines, "\r\n") + "\r\n\r\n") }

// always sends text until the client closes the connection.
func (c *connection) always(text string) {
	text = strings.Repeat(text, 1+1<<16/len(text))
	for c.say(text) {
	}
}

// chunked sends data in chunks without the last one.
func (c *connection) chunked(data []byte, extension string) {
	for len(data) > 0 {
		n := min(len(data), 4000)
		c.sayf("%x%s\r\n%s\r\n", n, extension, data[:n])
		data = data[n:]
	}
}

// reset resets the connection.
func (c *connection) reset() {
	time.Sleep(20 * time.Millisecond) // the data arrive first
	c.tcp.SetLinger(0)
	c.tcp.Close()
	c.broken = true
}

// notify ends TLS in an orderly way.
func (c *connection) notify() { c.Conn.(*tls.Conn).CloseWrite() }

// certified returns a server configuration with a certificate for host, valid until a time, and a
// client configuration that trusts its issuer.
func certified(t *testing.T, host string, until time.Time) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: roots}
}

// read fetches a URL to its end.
func read(t *testing.T, f fetchers.Fetcher, req *fetchers.Request) (body []byte, confirmed bool, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, req)
	if err != nil {
		return nil, false, err
	}
	defer res.Close()
	body, err = io.ReadAll(res.Body)
	return body, res.Confirmed(), err
}
