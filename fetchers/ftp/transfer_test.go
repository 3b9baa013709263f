package ftp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A joined is a connection that returns io.EOF together with the last bytes. crypto/tls does so in
// TLS 1.2, if close_notify has arrived with them.
type joined struct {
	net.Conn
	in io.Reader
}

func join(c net.Conn) net.Conn { return joined{c, iotest.DataErrReader(c)} }

func (c joined) Read(p []byte) (int, error) { return c.in.Read(p) }

// A late is a connection that delays each Read, so that close_notify has arrived with the last
// bytes.
type late struct{ net.Conn }

func (c late) Read(p []byte) (int, error) {
	time.Sleep(20 * time.Millisecond)
	return c.Conn.Read(p)
}

// More bytes than SIZE are an error, even if the end arrives with them. After REST they show that
// the server began elsewhere.
func TestMoreThanSize(t *testing.T) {
	const text = "all that glitters\n"
	restartsAt0, tellsLess := ftptest.Reply("REST", "350 go on"), ftptest.Reply("SIZE f", "213 4")
	for name, c := range map[string]struct {
		part fetchers.Range
		opts []ftptest.Option
		want error
		got  string
	}{
		"all of it":                        {got: text},
		"all of it, SIZE tells less":       {opts: []ftptest.Option{tellsLess}, want: fetchers.ErrProtocol},
		"the rest":                         {part: fetchers.Range{Offset: 4}, got: text[4:]},
		"the rest, the server begins at 0": {part: fetchers.Range{Offset: 4}, opts: []ftptest.Option{restartsAt0}, want: fetchers.ErrRange},
		"a part":                           {part: fetchers.Range{Offset: 4, Length: 4}, got: text[4:8]},
		"a part, the server begins at 0":   {part: fetchers.Range{Offset: 4, Length: 4}, opts: []ftptest.Option{restartsAt0}, want: fetchers.ErrRange},
	} {
		for _, protected := range []bool{false, true} {
			server := ftptest.NewServer(fstest.MapFS{"f": {Data: []byte(text)}}, append(c.opts, ftptest.StartTLS())...)
			f := new(ftp.Fetcher)
			wrap := join
			if protected {
				f.AuthTLS, f.TLS = ftp.Required, &tls.Config{RootCAs: server.Roots(), MaxVersion: tls.VersionTLS12}
				wrap = func(c net.Conn) net.Conn { return late{c} }
			}
			f.Network = &fetchers.Network{DialData: func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				return wrap(c), nil
			}}
			got := ""
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/f"), Range: c.part})
			if err == nil {
				var octets []byte
				octets, err = io.ReadAll(res.Body)
				got = string(octets)
				res.Close()
			}
			if !errors.Is(err, c.want) || c.want == nil && got != c.got {
				t.Errorf("%s, TLS %v: %q, %v; want %q, %v", name, protected, got, err, c.got, c.want)
			}
			f.CloseIdle()
			server.Close()
		}
	}
}
