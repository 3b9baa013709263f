package ftp_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// asked returns the commands for data connections, and RETR, that the server has received.
func asked(server *ftptest.Server) string {
	var all []string
	for _, line := range server.Transcript() {
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "EPRT", "PORT", "EPSV", "PASV", "RETR":
			all = append(all, verb)
		}
	}
	return strings.Join(all, "|")
}

// NoEPSV and NoEPRT disable the extended commands.
func TestExtendedCommandsDisabled(t *testing.T) {
	for _, c := range []struct {
		fetcher *ftp.Fetcher
		want    string
	}{
		{&ftp.Fetcher{NoEPSV: true}, "PASV|RETR|PASV|RETR"},
		{&ftp.Fetcher{NoEPRT: true}, "EPSV|RETR|EPSV|RETR"},
		{&ftp.Fetcher{NoEPRT: true, Active: true}, "PORT|RETR|PORT|RETR"},
		{&ftp.Fetcher{NoEPSV: true, Active: true}, "EPRT|RETR|EPRT|RETR"},
	} {
		server := ftptest.NewServer(files)
		for range 2 {
			if got, err := get(t, c.fetcher, server.URL+"/pub/poem.txt"); err != nil || got != string(content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		}
		c.fetcher.CloseIdle()
		if got := asked(server); got != c.want {
			t.Errorf("the server heard %s, want %s", got, c.want)
		}
		server.Close()
	}
}

// If the port of EPSV is not reached, PASV is sent on the same connection, and only PASV from then
// on.
func TestPortOfEPSVNotReached(t *testing.T) {
	server := unreached(t)
	f := new(ftp.Fetcher)
	f.SetPlain(server.Addr)
	for range 2 {
		if got, err := get(t, f, server.URL+"/pub/poem.txt"); err != nil || got != string(content) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		f.CloseIdle()
	}
	if got, want := asked(server), "EPSV|PASV|RETR|PASV|RETR"; got != want {
		t.Errorf("the server heard %s, want %s", got, want)
	}
}

// unreached returns a server whose EPSV port is not reached.
func unreached(t *testing.T) *ftptest.Server {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server := ftptest.NewServer(files, ftptest.Reply("EPSV", fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)", port)))
	t.Cleanup(server.Close)
	return server
}

// PASV is also used if RETR was sent during the dial to the port of EPSV: with a flight, and
// without one, as for a resumed fetch.
func TestPortOfEPSVNotReachedAfterRETR(t *testing.T) {
	for name, req := range map[string]fetchers.Request{
		"whole":   {},
		"resumed": {Range: fetchers.Range{Offset: 7}, Have: fetchers.Validator{ModTime: files["pub/poem.txt"].ModTime}},
	} {
		t.Run(name, func(t *testing.T) {
			server := unreached(t)
			f := new(ftp.Fetcher)
			defer f.CloseIdle()
			req.URL = parse(t, server.URL+"/pub/poem.txt")
			res, err := f.Fetch(t.Context(), &req)
			if err != nil {
				t.Fatalf("%v; the server heard %s", err, asked(server))
			}
			defer res.Close()
			if got, err := io.ReadAll(res.Body); err != nil || string(got) != string(content[req.Range.Offset:]) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}
