package gopher_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// In TLS, the end of the connection without close_notify is a cut, unless a dot or a length
// confirms it.
func TestNoNotify(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		after  int64 // bytes of the answer that the server sends; 0 means all
		notify bool
		want   error
	}{
		"bytes, with close_notify":   {"/9/pub/poem.txt", 0, true, nil},
		"bytes":                      {"/9/pub/poem.txt", 0, false, io.ErrUnexpectedEOF},
		"the first half of bytes":    {"/9/pub/poem.txt", 10, false, io.ErrUnexpectedEOF},
		"a text with its dot":        {"/0/pub/poem.txt", 0, false, nil},
		"the first half of a text":   {"/0/pub/poem.txt", 10, false, io.ErrUnexpectedEOF},
		"a menu with its dot":        {"/1/pub", 0, false, nil},
		"the first half of a menu":   {"/1/pub", 10, false, io.ErrUnexpectedEOF},
		"counted":                    {"/9/pub/poem.txt%09%09+", 0, false, nil},
		"the first half of a length": {"/9/pub/poem.txt%09%09+", 10, false, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []gophertest.Option{gophertest.TLS()}
			if c.after > 0 {
				opts = append(opts, gophertest.Faults(gophertest.Fault{After: c.after}))
			}
			if !c.notify {
				opts = append(opts, gophertest.NoNotify())
			}
			server := gophertest.NewServer(files, opts...)
			defer server.Close()
			f := &gopher.Fetcher{TLS: &tls.Config{RootCAs: server.Roots()}}
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+c.path)})
			if err == nil {
				_, err = io.Copy(io.Discard, res.Body)
				res.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if c.want != nil && strings.Contains(c.path, "/9/") && res != nil && res.Confirmed() {
				t.Error("it is confirmed")
			}
		})
	}
}

// A joined connection returns io.EOF together with the last bytes. A Read of crypto/tls does so in
// TLS 1.2 if close_notify has arrived with them.
type joined struct {
	net.Conn
	all *bytes.Reader
}

func (c *joined) Read(p []byte) (int, error) {
	if c.all == nil {
		all, err := io.ReadAll(c.Conn)
		if err != nil {
			return 0, err
		}
		c.all = bytes.NewReader(all)
	}
	n, err := c.all.Read(p)
	if c.all.Len() == 0 {
		err = io.EOF
	}
	return n, err
}

// A document with the length of the status line is whole, also if the connection ends together with
// its last bytes.
func TestEndWithTheLastOctets(t *testing.T) {
	for after, want := range map[int64]error{0: nil, int64(len(content)) - 1: io.ErrUnexpectedEOF} {
		var opts []gophertest.Option
		if after > 0 {
			opts = append(opts, gophertest.Faults(gophertest.Fault{After: after}))
		}
		server := gophertest.NewServer(files, opts...)
		f := &gopher.Fetcher{Network: &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &joined{Conn: c}, nil
		}}}
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/9/pub/poem.txt%09%09+")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = io.Copy(io.Discard, res.Body); !errors.Is(err, want) || res.Confirmed() != (want == nil) {
			t.Errorf("cut after %d: %v, want %v; confirmed: %v", after, err, want, res.Confirmed())
		}
		res.Close()
		server.Close()
	}
}
