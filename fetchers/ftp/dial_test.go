package ftp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// If the server is at another address than that of the URL, DialData connects to the address of the
// control connection. The certificate must name the host of the URL.
func TestDataConnectionsGoWhereTheControlConnectionWent(t *testing.T) {
	for _, c := range []struct {
		name, url string
		active    bool
		opts      []ftptest.Option
	}{
		{"EPSV", "ftp://files.example/pub/poem.txt", false, nil},
		{"PASV", "ftp://files.example/pub/poem.txt", false, []ftptest.Option{ftptest.Without("EPSV")}},
		{"a listing", "ftp://files.example/pub/", false, nil},
		{"active", "ftp://files.example/pub/poem.txt", true, nil},
		{"AUTH TLS", "ftp://localhost/pub/poem.txt", false, []ftptest.Option{ftptest.StartTLS(), ftptest.RequireReuse()}},
		{"AUTH TLS, active", "ftp://localhost/pub/poem.txt", true, []ftptest.Option{ftptest.StartTLS(), ftptest.RequireReuse()}},
		{"ftps", "ftps://localhost/pub/poem.txt", false, []ftptest.Option{ftptest.TLS(), ftptest.RequireReuse()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, f := secured(t, ftp.IfOffered, c.opts...)
			f.Active = c.active
			var data []string
			f.Network = detoured(server.Addr, &data)
			if _, err := get(t, f, c.url); err != nil {
				t.Error(err)
			}
			want := 1
			if c.active {
				want = 0
			}
			if len(data) != want {
				t.Errorf("data connections are dialled to %q, want %d of them", data, want)
			}
			for _, addr := range data {
				if host, _, _ := net.SplitHostPort(addr); host != "127.0.0.1" || addr == server.Addr {
					t.Errorf("a data connection is dialled to %s, and the server is %s", addr, server.Addr)
				}
			}
		})
	}
	t.Run("the certificate of the address", func(t *testing.T) {
		server, f := secured(t, ftp.Required, ftptest.StartTLS())
		f.TLS = &tls.Config{RootCAs: server.Roots()}
		f.Network = detoured(server.Addr, new([]string))
		if _, err := get(t, f, "ftp://files.example/pub/poem.txt"); err == nil {
			t.Error("the certificate is for 127.0.0.1 and not for files.example, and there is no error")
		}
	})
}

// detoured returns a Network that connects every control connection to addr, and appends the
// addresses of data connections to data.
func detoured(addr string, data *[]string) *fetchers.Network {
	return &fetchers.Network{
		Dial: func(ctx context.Context, network, asked string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
		DialData: func(ctx context.Context, network, asked string) (net.Conn, error) {
			*data = append(*data, asked)
			return new(net.Dialer).DialContext(ctx, network, asked)
		},
	}
}

// A guard also checks data connections, as the Network's Dial or as its DialData.
func TestGuardSeesDataConnections(t *testing.T) {
	for _, name := range []string{"Dial", "DialData"} {
		t.Run(name, func(t *testing.T) {
			server := ftptest.NewServer(files)
			defer server.Close()
			guard := func(_ context.Context, _, addr string) (net.Conn, error) {
				if addr != server.Addr {
					return nil, fmt.Errorf("%w: no way to %s", fetchers.ErrBlocked, addr)
				}
				return net.Dial("tcp", addr)
			}
			nw := &fetchers.Network{Dial: guard}
			if name == "DialData" {
				nw = &fetchers.Network{DialData: guard}
			}
			_, err := get(t, &ftp.Fetcher{Network: nw, NoReuse: true}, server.URL+"/pub/poem.txt")
			if !errors.Is(err, fetchers.ErrBlocked) {
				t.Errorf("%v, want ErrBlocked", err)
			}
		})
	}
}
