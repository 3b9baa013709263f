package engine

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func TestPeersAreNotMoreOpenThanClients(t *testing.T) {
	const key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
	mutual := &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert}
	for name, test := range map[string]struct {
		o      Options
		refuse bool
	}{
		"all on this machine":                           {Options{Listen: "127.0.0.1:1", Peers: "127.0.0.1:2"}, false},
		"peers of a private network, as clients":        {Options{Listen: "0.0.0.0:1", Peers: "0.0.0.0:2"}, false},
		"clients of this machine, peers of others":      {Options{Listen: "127.0.0.1:1", Peers: "0.0.0.0:2"}, true},
		"no host is all addresses":                      {Options{Listen: "localhost:1", Peers: ":2"}, true},
		"a password in clear":                           {Options{Listen: "0.0.0.0:1", Peers: "0.0.0.0:2", User: "joe", Password: "p"}, true},
		"a password on this machine":                    {Options{Listen: "127.0.0.1:1", Peers: "[::1]:2", User: "joe", Password: "p"}, false},
		"keys of clients, and nothing of peers":         {Options{Listen: "127.0.0.1:1", Peers: "127.0.0.1:2", NKeys: []string{key}}, true},
		"TLS that needs no certificate of the client":   {Options{Listen: "0.0.0.0:1", Peers: "0.0.0.0:2", TLS: &tls.Config{}}, true},
		"certificates of both sides":                    {Options{Listen: "127.0.0.1:1", Peers: "0.0.0.0:2", TLS: mutual}, false},
		"certificates of both sides, and keys of users": {Options{Listen: "0.0.0.0:1", Peers: "0.0.0.0:2", TLS: mutual, NKeys: []string{key}}, false},
	} {
		test.o.Dir = t.TempDir()
		if _, err := test.o.server(); errors.Is(err, ErrOpenPeers) != test.refuse || err != nil && !test.refuse {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// freeAddress returns an address of the loopback that nothing listens to.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// pair starts two servers of a cluster, and returns them and the address of the first one for others.
func pair(t *testing.T, o Options) (all []*Server, peers string) {
	t.Helper()
	addresses := []string{freeAddress(t), freeAddress(t)}
	o.Listen, o.ClusterName = "127.0.0.1:0", "fetchd"
	o.Routes = []string{"nats://" + addresses[0], "nats://" + addresses[1]}
	started := make(chan *Server, 2)
	for i, own := range addresses {
		mine := o
		mine.Dir, mine.Name, mine.Peers = t.TempDir(), fmt.Sprint("s", i), own
		go func() {
			s, err := Start(mine)
			if err != nil {
				t.Error(err)
			}
			started <- s
		}()
	}
	for range 2 {
		if s := <-started; s != nil {
			t.Cleanup(s.Stop)
			all = append(all, s)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return all, addresses[0]
}

// routes returns how many other servers a server is connected to.
func routes(s *Server) int {
	seen := make(map[string]bool)
	z, err := s.current().Routez(nil)
	if err != nil {
		return -1
	}
	for _, r := range z.Routes {
		seen[r.RemoteID] = true
	}
	return len(seen)
}

// A server without the login, or without a certificate, does not join, and hears nothing.
func TestStrangerDoesNotJoin(t *testing.T) {
	own, other := certified(t), certified(t)
	for name, test := range map[string]struct {
		o, stranger Options
		client      []nats.Option
	}{
		"without the login": {
			o:      Options{User: "joe", Password: "secret-of-joe"},
			client: []nats.Option{nats.UserInfo("joe", "secret-of-joe")},
		},
		"with a certificate of another authority": {
			o: Options{TLS: own}, stranger: Options{TLS: other}, client: []nats.Option{nats.Secure(own)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, peers := pair(t, test.o)
			rogue := test.stranger
			rogue.Dir, rogue.Listen, rogue.Name, rogue.ClusterName = t.TempDir(), "127.0.0.1:0", "rogue", "fetchd"
			rogue.Peers, rogue.Routes = freeAddress(t), []string{"nats://" + peers}
			opts, err := rogue.server()
			if err != nil {
				t.Fatal(err)
			}
			opts.JetStream = false // it would wait for a leader
			stranger, err := server.NewServer(opts)
			if err != nil {
				t.Fatal(err)
			}
			stranger.Start()
			defer stranger.Shutdown()
			time.Sleep(2 * time.Second)
			for _, s := range all {
				if n := routes(s); n != 1 {
					t.Errorf("a server of two is connected to %d others", n)
				}
				conn, err := nats.Connect(s.URL(), test.client...)
				if err != nil {
					t.Fatal(err)
				}
				for _, at := range conn.DiscoveredServers() {
					if at == stranger.ClientURL() {
						t.Errorf("clients are told of the stranger at %s", at)
					}
				}
				conn.Close()
			}
			if n := stranger.NumRoutes(); n != 0 {
				t.Errorf("the stranger has %d connections", n)
			}
		})
	}
}

// certified returns settings of TLS with a certificate of 127.0.0.1, which is its own authority, for both sides.
func certified(t *testing.T) *tls.Config {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: secret}},
		RootCAs:      pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	}
}
