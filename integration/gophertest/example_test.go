package gophertest_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

func Example() {
	server := gophertest.NewServer(
		fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}},
		gophertest.Search("find", func(words string) string { return "You look for " + words + "." }),
	)
	defer server.Close()

	// The client under test would have server.URL + "/0/pub/hello.txt".
	for _, line := range []string{"/pub/hello.txt", "/find\tgold", "/pub/hello.txt\t+", "/nope"} {
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			fmt.Println(err)
			return
		}
		io.WriteString(conn, line+"\r\n")
		answer, _ := io.ReadAll(conn)
		conn.Close()
		fmt.Print(strings.NewReplacer("\t", " ", "\r", "").Replace(string(answer)))
	}
	fmt.Printf("%q\n", server.Transcript())
	// Output:
	// hello
	// .
	// iYou look for gold.  error.host 1
	// .
	// +6
	// hello
	// 3'/nope' does not exist  error.host 1
	// .
	// ["/pub/hello.txt\r\n" "/find\tgold\r\n" "/pub/hello.txt\t+\r\n" "/nope\r\n"]
}

// A server that is interrupted once, of the kind that is common today.
func ExampleFaults() {
	server := gophertest.NewServer(
		fstest.MapFS{"big.iso": {Data: make([]byte, 1<<20)}},
		gophertest.NoDot(), gophertest.Plain(),
		gophertest.Faults(gophertest.Fault{After: 1 << 19, Do: gophertest.Reset, Once: true}),
	)
	defer server.Close()
}
