package ftp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
)

// FEAT is no longer sent to a server that does not answer it, or closes the connection.
func TestFEATUnanswered(t *testing.T) {
	for _, c := range []struct {
		name, reply string
		ends        bool
		dials       int
	}{
		{name: "silence", dials: 3},
		{name: "the end", ends: true, dials: 3},
		{name: "421", reply: "421 unknown command\r\n", ends: true, dials: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dials := 0
				f := &ftp.Fetcher{NoReuse: true, Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
					dials++
					server, client := net.Pipe()
					go func() {
						defer server.Close()
						withoutFEAT(server, c.reply, c.ends)
					}()
					return client, nil
				}}}
				u := parse(t, "ftp://server.example/d/")
				for range 2 {
					res, err := f.Fetch(t.Context(), &fetchers.Request{URL: u, Describe: true})
					if err != nil {
						t.Fatal(err)
					}
					res.Close()
				}
				if dials != c.dials+1 {
					t.Errorf("%d connections for two fetches, want %d", dials, c.dials+1)
				}
			})
		})
	}
}

func withoutFEAT(conn net.Conn, reply string, ends bool) {
	io.WriteString(conn, "220 ready\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		switch verb, _, _ := strings.Cut(in.Text(), " "); verb {
		case "FEAT":
			io.WriteString(conn, reply)
			if ends {
				return
			}
		case "USER":
			fmt.Fprint(conn, "331 password, please\r\n")
		default:
			fmt.Fprint(conn, "230 ok\r\n")
		}
	}
}

// FEAT is sent again to a server that closes the connection after it has answered FEAT.
func TestEndAfterFEAT(t *testing.T) {
	feats := 0
	f := &ftp.Fetcher{NoReuse: true, Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
		server, client := net.Pipe()
		go func() {
			defer server.Close()
			io.WriteString(server, "220 ready\r\n")
			for in := bufio.NewScanner(server); in.Scan(); {
				switch verb, _, _ := strings.Cut(in.Text(), " "); verb {
				case "FEAT":
					feats++
					io.WriteString(server, "502 no\r\n")
					return
				default:
					fmt.Fprint(server, "230 ok\r\n")
				}
			}
		}()
		return client, nil
	}}}
	f.SetPlain("server.example:21")
	for range 2 {
		if res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "ftp://server.example/d/"), Describe: true}); err == nil {
			res.Close()
			t.Error("there was no error")
		}
	}
	if feats != 2 {
		t.Errorf("FEAT was sent %d times, want 2", feats)
	}
}
