package ftp_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// asked returns the commands for data connections, and RETR, that the server has heard.
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

// NoEPSV and NoEPRT leave out the extended commands.
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

// If the port that EPSV tells is not reached, PASV is asked on the same connection, and only PASV
// from then on.
func TestPortOfEPSVNotReached(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server := ftptest.NewServer(files, ftptest.Reply("EPSV", fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)", port)))
	defer server.Close()
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
