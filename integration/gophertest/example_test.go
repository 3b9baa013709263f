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

// A server of the kind that is common today, which cuts the first answer.
func ExampleFaults() {
	server := gophertest.NewServer(
		fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}},
		gophertest.NoDot(), gophertest.Plain(),
		gophertest.Faults(gophertest.Fault{Path: "/pub/hello.txt", After: 3, Do: gophertest.Cut, Once: true}),
	)
	defer server.Close()

	for range 2 {
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			fmt.Println(err)
			return
		}
		io.WriteString(conn, "/pub/hello.txt\r\n")
		text, _ := io.ReadAll(conn)
		conn.Close()
		fmt.Printf("%q\n", text)
	}
	// Output:
	// "hel"
	// "hello\n"
}
