package ftp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// limit has nw refuse a connection beyond the first, in the words of a server, until that one is
// closed.
func limit(nw *fetchers.Network) {
	var open atomic.Int32
	nw.DialData = new(net.Dialer).DialContext
	nw.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if open.Add(1) > 1 {
			open.Add(-1)
			server, client := net.Pipe()
			go func() {
				io.WriteString(server, "421 Too many connections from your address\r\n")
				server.Close()
			}()
			return client, nil
		}
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &counted{Conn: c, open: &open}, err
	}
}

type counted struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// A kept connection from which there is no way back does not hold the only place that a server
// has for a client.
func TestNoWayBackAndNoPlace(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	f.Network = new(fetchers.Network)
	limit(f.Network)
	for _, path := range []string{"/pub/deep/a/b.txt", "/pub/poem.txt"} {
		if _, err := get(t, f, server.URL+path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if _, err := get(t, f, server.URL+"/pub/poem.txt"); !errors.Is(err, fetchers.ErrTemporary) {
		t.Errorf("while a fetch uses it: %v, want %v", err, fetchers.ErrTemporary)
	}
}
