package fetch_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// TestCertificateIsForTheUsersServers checks which servers get the client's certificate, in every
// protocol over TLS. Each server asks for it and then closes the connection.
func TestCertificateIsForTheUsersServers(t *testing.T) {
	usual := httptest.NewTLSServer(http.NotFoundHandler())
	defer usual.Close()
	pair := usual.TLS.Certificates[:1]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	shown := make(chan int)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			secure := tls.Server(c, &tls.Config{Certificates: pair, ClientAuth: tls.RequestClientCert})
			if err := secure.Handshake(); err != nil {
				t.Error(err)
			}
			shown <- len(secure.ConnectionState().PeerCertificates)
			c.Close()
		}
	}()

	set := fetch.NewSet(nil)
	ours := &tls.Config{InsecureSkipVerify: true, Certificates: pair}
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.NNTP.TLS, set.Telnet.TLS = ours, ours, ours, ours, ours
	registry := set.Registry()
	registry.AnyPort = true
	for _, format := range []string{"https://%s/", "ftps://%s/x", "gophers://%s/0x", "nntps://%s/group/1", "snews://%s/a@b", "telnets://%s/"} {
		for named, want := range map[fetchers.Namer]int{fetchers.ByUser: 1, fetchers.ByServer: 0, fetchers.ByStranger: 0} {
			u, err := url.Parse(fmt.Sprintf(format, listener.Addr()))
			if err != nil {
				t.Fatal(err)
			}
			over := make(chan bool)
			go func() {
				defer close(over)
				res, err := registry.Fetch(t.Context(), &fetchers.Request{URL: u, Named: named})
				if err != nil {
					return
				}
				defer res.Close()
				if res.Session == nil {
					return
				}
				if s, err := res.Session.Dial(t.Context()); err == nil {
					s.Close()
				}
			}()
			if got := <-shown; got != want {
				t.Errorf("%s, named by %d: %d certificates, want %d", u, named, got, want)
			}
			<-over
		}
	}
}
