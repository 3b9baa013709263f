package prosperotest_test

import (
	"fmt"
	"net"
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

// A tree of files, by a server that loses one datagram of five.
func ExampleTree() {
	server := prosperotest.NewServer(
		prosperotest.Tree(fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}),
		prosperotest.Loss(7, 0.2, 0, 0),
	)
	defer server.Close()
	// The client under test would have server.URL + "//pub/hello.txt".
}
