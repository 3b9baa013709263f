package telnettest_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"

	"github.com/seed1ea3422f/fetch/integration/telnettest"
)

func Example() {
	server := telnettest.NewServer(telnettest.Greeting("hello\r\n"))
	defer server.Close()

	// The client under test would have server.URL.
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	io.WriteString(conn, "echo a  b\r\nexit\r\n")
	text, _ := io.ReadAll(conn)
	fmt.Printf("%q\n%q\n", text, server.Transcript())
	// Output:
	// "hello\r\n$ a  b\r\n$ bye\r\n"
	// ["echo a  b" "exit"]
}

// A server with TLS. Its Roots are the certificates that a client trusts.
func ExampleTLS() {
	server := telnettest.NewServer(telnettest.TLS(), telnettest.Greeting("hello\r\n"))
	defer server.Close()

	// The client under test would have server.URL, which begins with telnets.
	conn, err := tls.Dial("tcp", server.Addr, &tls.Config{RootCAs: server.Roots()})
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	line, _ := bufio.NewReader(conn).ReadString('\n')
	fmt.Printf("%q\n", line)
	// Output:
	// "hello\r\n"
}

// A server that negotiates options and has a user joe. One fault cuts a connection during the
// login.
func ExampleFaults() {
	server := telnettest.NewServer(
		telnettest.Offer(telnettest.Inetutils...),
		telnettest.User("joe", "s3cret"),
		telnettest.Faults(telnettest.Fault{After: 25, Do: telnettest.Reset, Once: true}),
	)
	defer server.Close()
}
