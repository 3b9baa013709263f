package spartan

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	conformance.Suite{
		New:    func() fetchers.Fetcher { return new(Fetcher) },
		Syntax: Syntax,
	}.Scripts(t, "testdata/*.txt")
}

var page1 = bytes.Repeat([]byte("=> spartan://h.dom/ A link\n"), 10_000)

func TestConformance(t *testing.T) {
	addr := serve(t)
	conformance.Run(t, conformance.Target{
		Fetcher:     new(Fetcher),
		Document:    parse(t, "spartan://"+addr+"/page"),
		Content:     page1,
		Unconfirmed: true,
		Missing:     parse(t, "spartan://"+addr+"/nothing"),
		Stalled:     func(t *testing.T) *url.URL { return parse(t, "spartan://"+addr+"/stall") },
	})
}

// serve returns the address of a server.
func serve(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
	return listener.Addr().String()
}

func answer(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	line, _ := in.ReadString('\n')
	fields := strings.Fields(line)
	if len(fields) != 3 {
		io.WriteString(conn, "4 Bad request\r\n")
		return
	}
	switch fields[1] {
	case "/page":
		io.WriteString(conn, "2 text/gemini\r\n")
		conn.Write(page1)
	case "/stall":
		io.WriteString(conn, "2 text/gemini\r\nhalf")
		in.ReadByte() // until the client closes
	case "/moved":
		io.WriteString(conn, "3 /page\r\n")
	default:
		io.WriteString(conn, "4 Not here\r\n")
	}
}

// A Client parses spartan URLs, and follows redirections to them.
func TestClient(t *testing.T) {
	addr := serve(t)
	var registry fetchers.Registry
	registry.Register(new(Fetcher), "spartan")
	registry.Register(fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Confirmed: func() bool { return true }}
		res.SetBody(nil)
		var err error
		res.Location, err = req.URL.Resolve("spartan://" + addr + "/moved")
		return res, err
	}), "x-old")
	c := &fetchers.Client{Fetcher: &registry, Syntax: Syntax, Follow: fetchers.FollowUpTo(5, "spartan")}
	res, err := c.Get(t.Context(), "x-old:page")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if got, err := io.ReadAll(res.Body); !bytes.Equal(got, page1) || err != nil || res.Confirmed() {
		t.Errorf("%d octets, %v", len(got), err)
	}
	c.Follow = fetchers.FollowUpTo(5)
	if _, err := c.Get(t.Context(), "x-old:page"); !errors.Is(err, fetchers.ErrRedirect) {
		t.Errorf("%v, want ErrRedirect: spartan is not allowed for redirections of a server", err)
	}
}

// The Network opens the connection.
func TestNetwork(t *testing.T) {
	addr := serve(t)
	f := &Fetcher{Network: &fetchers.Network{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}}
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "spartan://h.dom/page")})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
}

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := Syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
