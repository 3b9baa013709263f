package ftp_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// Active mode uses EPRT, or PORT if the server does not support EPRT, and never PASV.
func TestActive(t *testing.T) {
	for _, c := range []struct {
		name    string
		path    string
		without []string
		want    string
	}{
		{"EPRT", "/pub/poem.txt", nil, "EPRT"},
		{"PORT", "/pub/poem.txt", []string{"EPRT"}, "EPRT|PORT"},
		{"neither", "/pub/poem.txt", []string{"EPRT", "PORT"}, "EPRT|PORT"},
		{"neither, for three lists", "/pub/", []string{"EPRT", "PORT"}, "EPRT|PORT|EPRT|PORT|EPRT|PORT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := ftptest.NewServer(files, ftptest.Without(c.without...))
			defer server.Close()
			f := &ftp.Fetcher{Active: true}
			defer f.CloseIdle()
			got, err := get(t, f, server.URL+c.path)
			var refused *fetchers.StatusError
			if len(c.without) == 2 && (!errors.As(err, &refused) || refused.Code != 502) || len(c.without) < 2 && (err != nil || got != string(content)) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			var ports []string
			for _, line := range server.Transcript() {
				switch verb, _, _ := strings.Cut(line, " "); verb {
				case "EPRT", "PORT", "EPSV", "PASV":
					ports = append(ports, verb)
				}
			}
			if got := strings.Join(ports, "|"); got != c.want {
				t.Errorf("the server heard %s, want %s", got, c.want)
			}
		})
	}
}

// activeServer plays a server that accepts every command, and calls dial with the client's port in
// place of sending a file.
func activeServer(t *testing.T, dial func(port string)) *url.URL {
	port := ""
	return answering(t, func(c net.Conn, verb, argument string) bool {
		switch verb {
		case "USER":
			fmt.Fprint(c, "230 welcome\r\n")
		case "EPRT":
			port = strings.Split(argument, "|")[3]
			fmt.Fprint(c, "200 ok\r\n")
		case "RETR":
			fmt.Fprint(c, "150 here it comes\r\n")
			dial(port)
			fmt.Fprint(c, "226 done\r\n")
		case "TYPE":
			fmt.Fprint(c, "200 ok\r\n")
		default:
			fmt.Fprint(c, "502 no\r\n")
		}
		return true
	})
}

// A data connection is accepted only from the machine of the control connection.
func TestStrangerInActiveMode(t *testing.T) {
	dial := func(from, port string) net.Conn {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp4", "127.0.0.1:"+port)
		if err != nil {
			t.Error(err)
			return nil
		}
		return c
	}
	u := activeServer(t, func(port string) {
		if c := dial("127.0.0.2", port); c != nil {
			fmt.Fprint(c, "forged\n")
			defer c.Close()
		}
		if c := dial("127.0.0.1", port); c != nil {
			fmt.Fprint(c, "true\n")
			c.Close()
		}
	})
	if got, err := get(t, &ftp.Fetcher{Active: true, NoReuse: true}, u.String()); got != "true\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// The wait for a data connection is ended by the timeout, by the context, and by Close.
func TestServerDoesNotConnect(t *testing.T) {
	left := make(chan struct{})
	t.Cleanup(func() { close(left) })
	u := activeServer(t, func(string) { <-left })
	f := &ftp.Fetcher{Active: true, Network: &fetchers.Network{Connect: 50 * time.Millisecond}}
	if _, err := get(t, f, u.String()); !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("error %v, want ErrStalled", err)
	}

	u = activeServer(t, func(string) { <-left })
	ctx, cancel := context.WithCancel(t.Context())
	res, err := (&ftp.Fetcher{Active: true}).Fetch(ctx, &fetchers.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	res.Close()

	u = activeServer(t, func(string) { <-left })
	res, err = (&ftp.Fetcher{Active: true}).Fetch(t.Context(), &fetchers.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { res.Close() })
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("there was an end")
	}
}

// Through a proxy the peer is not the server: data connections are made to the server's name, or to
// its address if the proxy reports it, and never by the server.
func TestProxy(t *testing.T) {
	for _, c := range []struct {
		name string
		host string // of data connections
		mode []ftptest.Option
	}{
		{"clear", "localhost", nil},
		{"TLS", "localhost", []ftptest.Option{ftptest.StartTLS(), ftptest.RequireReuse()}},
		{"hidden", "127.0.0.1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, f := secured(t, ftp.IfOffered, c.mode...)
			_, port, _ := net.SplitHostPort(server.Addr)
			var asked []string
			f.Active = true
			f.Network = &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				asked = append(asked, addr)
				host, port, err := net.SplitHostPort(addr)
				if want := map[bool]string{true: "localhost", false: c.host}[len(asked) == 1]; err != nil || host != want {
					return nil, fmt.Errorf("no way to %s", addr)
				}
				conn, err := viaProxy(t, network, net.JoinHostPort("127.0.0.1", port))
				if err == nil && c.name == "hidden" {
					conn = hidden{conn, server.Addr}
				}
				return conn, err
			}}
			got, err := get(t, f, "ftp://localhost:"+port+"/pub/poem.txt")
			if got != string(content) || err != nil || len(asked) != 2 {
				t.Errorf("%d bytes, %v, asked for %q", len(got), err, asked)
			}
			for _, line := range server.Transcript() {
				if strings.HasPrefix(line, "EPRT") {
					t.Errorf("the server heard %s", line)
				}
			}
		})
	}
}

// A hidden is a connection with the address of the server in place of that of the proxy.
type hidden struct {
	net.Conn
	server string
}

func (h hidden) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(h.server))
}

// viaProxy connects to addr through a machine with a port of its own.
func viaProxy(t *testing.T, network, addr string) (net.Conn, error) {
	server, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	client, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		return nil, err
	}
	proxy, err := l.Accept()
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { server.Close(); proxy.Close() })
	go func() { io.Copy(proxy, server); proxy.Close() }()
	go func() { io.Copy(server, proxy); server.Close() }()
	return client, nil
}

// If the server refuses to connect, or closes the connection, the wait ends.
func TestServerRefusesToConnect(t *testing.T) {
	for _, c := range []struct{ name, reply, want string }{
		{"421 in the packet of 150", "150 here it comes\r\n421 timeout\r\n", "the server does not connect: 421 timeout"},
		{"425", "150 here it comes\r\n425 cannot connect\r\n", "the server does not connect: 425 cannot connect"},
		{"425 in several lines", "150 here it comes\r\n425-cannot\r\n425 connect\r\n", "425"},
		{"the end", "", "the server closed the connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := answering(t, func(conn net.Conn, verb, _ string) bool {
				switch verb {
				case "USER":
					fmt.Fprint(conn, "230 welcome\r\n")
				case "TYPE", "EPRT":
					fmt.Fprint(conn, "200 ok\r\n")
				case "RETR":
					fmt.Fprint(conn, cmp.Or(c.reply, "150 here it comes\r\n"))
					return c.reply != ""
				default:
					fmt.Fprint(conn, "502 no\r\n")
				}
				return true
			})
			f := &ftp.Fetcher{Active: true, NoReuse: true, Network: &fetchers.Network{Connect: -1, Stall: -1}}
			if _, err := get(t, f, u.String()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
		})
	}
}

// answering plays a server whose commands are answered by a function, until it returns false.
func answering(t *testing.T, answer func(conn net.Conn, verb, argument string) bool) *url.URL {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprint(c, "220 ready\r\n")
		for in := bufio.NewScanner(c); in.Scan(); {
			if verb, argument, _ := strings.Cut(in.Text(), " "); !answer(c, verb, argument) {
				return
			}
		}
	}()
	return parse(t, "ftp://"+l.Addr().String()+"/f")
}

// Close ends a Read even if the server has sent only a part of its reply.
func TestCloseWithinReply(t *testing.T) {
	said := make(chan struct{})
	u := answering(t, func(conn net.Conn, verb, _ string) bool {
		switch verb {
		case "USER":
			fmt.Fprint(conn, "230 welcome\r\n")
		case "TYPE", "EPRT":
			fmt.Fprint(conn, "200 ok\r\n")
		case "RETR":
			fmt.Fprint(conn, "150 here it comes\r\n425 can")
			close(said)
		default:
			fmt.Fprint(conn, "502 no\r\n")
		}
		return true
	})
	f := &ftp.Fetcher{Active: true, Network: &fetchers.Network{Connect: -1, Stall: -1, Response: -1}}
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	<-said
	time.AfterFunc(300*time.Millisecond, func() { res.Close() }) // Read waits for the rest of the line by then
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("there was an end")
	}
}
