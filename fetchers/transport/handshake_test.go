package transport_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// TestHandshake: the handshake fails if the server sends byte by byte, and when its context ends.
func TestHandshake(t *testing.T) {
	for name, c := range map[string]struct {
		limit time.Duration
		want  error
		after time.Duration
	}{
		"a drip":                 {time.Hour, fetchers.ErrStalled, 30 * time.Second},
		"the end of the context": {time.Second, context.DeadlineExceeded, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				var server sync.WaitGroup
				server.Go(func() { // the header of a long record
					for b := []byte{22, 3, 3, 0x3f, 0xff}; ; b = append(b[1:], 0) {
						if _, err := far.Write(b[:1]); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				server.Go(func() { io.Copy(io.Discard, far) })
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				err := transport.Handshake(ctx, tls.Client(near, &tls.Config{InsecureSkipVerify: true}))
				near.Close()
				if took := time.Since(begun); !errors.Is(err, c.want) || took != c.after {
					t.Errorf("%v after %v, want %v after %v", err, took, c.want, c.after)
				}
				server.Wait()
			})
		})
	}
}

// TestTLSClient: Read returns io.EOF only after close_notify.
func TestTLSClient(t *testing.T) {
	for name, c := range map[string]struct {
		opts []gophertest.Option
		want error
	}{
		"close_notify":             {nil, io.EOF},
		"an end of the connection": {[]gophertest.Option{gophertest.NoNotify()}, transport.ErrNoNotify},
	} {
		server := gophertest.NewServer(fstest.MapFS{"a.bin": {Data: []byte("all")}}, append(c.opts, gophertest.TLS())...)
		conn, err := transport.Dial(t.Context(), nil, server.Addr)
		if err != nil {
			t.Fatal(err)
		}
		secured := transport.TLSClient(conn, &tls.Config{RootCAs: server.Roots(), ServerName: "127.0.0.1"})
		io.WriteString(secured, "/a.bin\r\n")
		got := make([]byte, 3)
		if _, err := io.ReadFull(secured, got); string(got) != "all" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		_, err = secured.Read(got)
		if !errors.Is(err, c.want) || errors.Is(err, io.ErrUnexpectedEOF) != (c.want != io.EOF) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		conn.Close()
		server.Close()
	}
}

// A failed handshake is ErrTLS, and also ErrTemporary if the connection ended.
func TestHandshakeFails(t *testing.T) {
	for name, c := range map[string]struct {
		says      string
		temporary bool
	}{
		"an alert":                {"\x15\x03\x03\x00\x02\x02\x28", false}, // handshake_failure
		"the end":                 {"", true},
		"the end within a record": {"\x16\x03\x03\x00\x40\x02", true},
		"no TLS":                  {"220 ready, and more to fill a header\r\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			var server sync.WaitGroup
			server.Go(func() {
				defer far.Close()
				far.Read(make([]byte, 1<<14)) // the ClientHello
				io.WriteString(far, c.says)
			})
			err := transport.Handshake(t.Context(), transport.TLSClient(near, &tls.Config{InsecureSkipVerify: true}))
			near.Close()
			server.Wait()
			if !errors.Is(err, fetchers.ErrTLS) || errors.Is(err, fetchers.ErrTemporary) != c.temporary || errors.Is(err, io.EOF) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Client certificates, and sessions with one, are used with Namer ByUser only.
func TestTLSConfig(t *testing.T) {
	base := &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: make([]tls.Certificate, 1), ClientSessionCache: tls.NewLRUClientSessionCache(1),
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return nil, nil },
	}
	for named, secret := range map[fetchers.Namer]bool{fetchers.ByUser: true, fetchers.ByServer: false, fetchers.ByStranger: false} {
		c := transport.TLSConfig(base, "h.example", named)
		if c.ServerName != "h.example" || c.MinVersion != tls.VersionTLS13 {
			t.Errorf("%q, version %x", c.ServerName, c.MinVersion)
		}
		if (c.Certificates != nil) != secret || (c.GetClientCertificate != nil) != secret || (c.ClientSessionCache != nil) != secret {
			t.Errorf("named by %d: %d certificates", named, len(c.Certificates))
		}
	}
	if base.ServerName != "" || base.Certificates == nil {
		t.Error("the settings were changed")
	}
	base.ServerName = "other.example"
	if name := transport.TLSConfig(base, "h.example", fetchers.ByUser).ServerName; name != "other.example" {
		t.Errorf("ServerName is %q", name)
	}
	if name := transport.TLSConfig(nil, "h.example", fetchers.ByUser).ServerName; name != "h.example" {
		t.Errorf("ServerName is %q", name)
	}
}
