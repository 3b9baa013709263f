package ftp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// limit makes nw refuse a second connection, with the reply of a full server, until the first one
// is closed.
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

// A kept connection that cannot change to the next directory is closed if it holds the server's
// only place.
func TestKeptConnectionHoldsOnlyPlace(t *testing.T) {
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

// A server that serves one client at a time receives QUIT if it does not greet in time and the kept
// connection cannot change to the directory, or has another login.
func TestOneClient(t *testing.T) {
	server := ftptest.NewServer(files, ftptest.OneClient(), ftptest.User("joe", "secret"))
	defer server.Close()
	f := trusting()
	f.Between(500 * time.Millisecond)
	defer f.CloseIdle()
	joe := strings.Replace(server.URL, "ftp://", "ftp://joe:secret@", 1)
	for _, u := range []string{
		server.URL + "/pub/deep/a/b.txt",
		server.URL + "/pub/poem.txt",
		server.URL + "/pub/deep/a/b.txt",
		joe + "/pub/deep/a/b.txt",
		joe + "/pub/poem.txt",
		server.URL + "/pub/poem.txt",
	} {
		if _, err := get(t, f, u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if n := server.Logins(); n != 5 {
		t.Errorf("%d logins, want 5", n)
	}
}

// A fetch that waits for its greeting while another one uses the server continues when that has
// ended and its connection is kept.
func TestOneClientAtOnce(t *testing.T) {
	server := ftptest.NewServer(files, ftptest.OneClient())
	defer server.Close()
	f := trusting()
	f.Between(500 * time.Millisecond)
	defer f.CloseIdle()
	first, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var all sync.WaitGroup
	for _, path := range []string{"/pub/deep/a/b.txt", "/pub/poem.txt"} {
		all.Go(func() {
			if _, err := get(t, f, server.URL+path); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	if _, err := io.Copy(io.Discard, first.Body); err != nil {
		t.Error(err)
	}
	all.Wait()
}

// Connections without a way back serve their own directories, alternately.
func TestNoWayBackAlternately(t *testing.T) {
	server := ftptest.NewServer(files, ftptest.Without("PWD"))
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	for range 3 {
		for _, path := range []string{"/pub/deep/a/b.txt", "/pub/poem.txt"} {
			if _, err := get(t, f, server.URL+path); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if n := server.Logins(); n != 2 {
		t.Errorf("%d logins, want 2", n)
	}
}
