package prosperotest_test

import (
	"fmt"
	"net"
	"net/netip"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

func Example() {
	server := prosperotest.NewServer(prosperotest.Names{
		"/pros/name": {Contents: []byte("hello\n")},
	})
	defer server.Close()

	// The client under test would have server.URL + "//pros/name".
	c, err := net.Dial("udp", server.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	fmt.Fprint(c, "\x09\x47\x11\x00\x01\x00\x01\x00\x00VERSION 5 example\nGET-OBJECT-INFO CONTENTS ASCII /pros/name 0\n")
	p := make([]byte, 65535)
	n, _ := c.Read(p)
	fmt.Printf("%x %s", p[:3], p[3:n])

	for _, line := range server.Transcript() {
		fmt.Println(line)
	}
	// Output:
	// 034711 ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA hello'
	// '
	// VERSION 5 example
	// GET-OBJECT-INFO CONTENTS ASCII /pros/name 0
}

// A tree of files. Without a socket the server runs in a bubble of testing/synctest.
func ExampleTree() {
	server := prosperotest.NewHandler(
		prosperotest.Tree(fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}),
	)
	question := "VERSION 5 example\nDIRECTORY ASCII /pub 0\nLIST ATTRIBUTES COMPONENTS\n"
	client := netip.MustParseAddrPort("127.0.0.1:1111")
	server.Handle(client, append([]byte("\x09\x47\x11\x00\x01\x00\x01\x00\x00"), question...), func(datagram []byte) {
		fmt.Printf("%q\n", datagram[3:])
	})
	for _, r := range server.Requests() {
		fmt.Println(r.From, len(r.Lines))
	}
	// Output:
	// "LINK  L FILE hello.txt INTERNET-D 127.0.0.1 ASCII '/pub/hello.txt' 0\n"
	// 127.0.0.1:1111 3
}
