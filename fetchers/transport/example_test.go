package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A protocol of lines: a command, a reply, and a text that ends in a dot.
func Example() {
	addr, stop := serve(func(c net.Conn) {
		bufio.NewReader(c).ReadString('\n')
		io.WriteString(c, "200 here it is\r\nThe first line\r\n..\r\n.\r\n")
	})
	defer stop()

	conn, err := transport.Dial(context.Background(), &fetchers.Network{}, addr)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)

	command := []byte("GET " + "a name of a URL" + "\r\n")
	if err := transport.CheckLine(command); err != nil { // the name may contain a line end
		log.Fatal(err)
	}
	conn.Trace().Sent(strings.TrimSpace(string(command)))
	conn.Write(command)

	conn.Await() // the reply must arrive within Network.Response
	reply, err := transport.ReadLine(in, conn.HeaderLimit(4<<10))
	if err != nil {
		log.Fatal(err)
	}
	conn.Flow() // for the text only Network.Stall applies
	text, err := io.ReadAll(transport.NewDotReader(in))
	fmt.Printf("%s\n%q, %v\n", reply, text, err)
	// Output:
	// 200 here it is
	// "The first line\r\n.\r\n", <nil>
}

// A name in a URL becomes at most one command.
func ExampleCheckLine() {
	for _, name := range []string{"a.txt", "a.txt\r\nDELE b.txt"} {
		fmt.Println(transport.CheckLine([]byte("RETR " + name + "\r\n")))
	}
	// Output:
	// <nil>
	// CR, LF or NUL inside a line
}

// A text without its final dot is truncated.
func ExampleNewDotReader() {
	for _, sent := range []string{"all\r\n.\r\n", "a part\r\n"} {
		in := bufio.NewReader(strings.NewReader(sent))
		text, err := io.ReadAll(transport.NewDotReader(in))
		fmt.Printf("%q %v\n", text, err)
	}
	// Output:
	// "all\r\n" <nil>
	// "a part\r\n" unexpected EOF: no dot at the end
}

// A kilobyte must not expand to a gigabyte.
func ExampleCheckExpansion() {
	fmt.Println(transport.CheckExpansion(1<<10, 10<<10, transport.MaxExpanded))
	fmt.Println(transport.CheckExpansion(1<<10, 1<<30, transport.MaxExpanded) != nil)
	// Output:
	// <nil>
	// true
}

// Connections with TLS resume the session of an earlier connection to the same host, which shares
// its client certificates.
func ExampleTickets() {
	var tickets transport.Tickets // a field of the Fetcher
	secure := func(conn *transport.Conn, host string, req *fetchers.Request) error {
		config := transport.TLSConfig(new(tls.Config), host, req.Named)
		tickets.Resume(config, fmt.Sprintf("%s %d", req.URL.Addr(), req.Named))
		return conn.Secure(config, nil)
	}
	_ = secure
}

// A Tap does not receive a password that the server repeats.
func ExampleConn_Conceal() {
	addr, stop := serve(func(c net.Conn) { io.Copy(c, c) })
	defer stop()
	var watched bytes.Buffer
	ctx := fetchers.WithTrace(context.Background(), &fetchers.Trace{Tap: func(_ context.Context, _, _ string) *fetchers.Tap {
		return &fetchers.Tap{
			Sent:  func(p []byte) { fmt.Fprintf(&watched, "> %q\n", p) },
			Got:   func(p []byte) { fmt.Fprintf(&watched, "< %q\n", p) },
			Ended: func(error) {},
		}
	}})

	conn, err := transport.Dial(ctx, nil, addr)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	conn.Conceal("secret")
	conn.WriteAs([]byte("LOGIN joe secret\r\n"), "LOGIN joe ***\r\n")
	line, err := transport.ReadLine(bufio.NewReader(conn), 100)
	fmt.Println(line, err)
	fmt.Print(watched.String())
	// Output:
	// LOGIN joe secret <nil>
	// > "LOGIN joe ***\r\n"
	// < "LOGIN joe ***\r\n"
}

// serve runs a server for one connection, and returns its address.
func serve(talk func(net.Conn)) (addr string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	var server sync.WaitGroup
	server.Go(func() {
		if c, err := l.Accept(); err == nil {
			talk(c)
			c.Close()
		}
	})
	return l.Addr().String(), func() { l.Close(); server.Wait() }
}
