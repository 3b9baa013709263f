package z3950test_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

func Example() {
	server := z3950test.NewServer(fstest.MapFS{
		"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney is taken in August.\n")},
	})
	defer server.Close()

	// The client under test would have server.URL + "/garden?honey".
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	honey := z3950.Query{{Attributes: []z3950.Attribute{{Type: 1, Value: 1016}}, Term: "honey"}}
	conn.Write((&z3950.Search{Databases: []string{"garden"}, Query: honey, Small: 1, Large: 2}).Append(nil))
	d := z3950.NewDecoder(bufio.NewReader(conn))
	if _, err := d.Begin(100_000); err != nil {
		panic(err)
	}
	answer, err := d.Response()
	if err != nil {
		panic(err)
	}
	record, size, err := d.NextRecord()
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(d)
	fmt.Println(answer.Count, record.Database, size)
	fmt.Printf("%.12s\n", text)
	fmt.Println(server.Transcript())
	// Output:
	// 1 garden 40
	// Keeping bees
	// [Search "garden" 1=1016 "honey"]
}

// A server that closes the first connection in place of an answer.
func ExampleFaults() {
	server := z3950test.NewServer(
		fstest.MapFS{"garden/bees.txt": {Data: []byte("Keeping bees\n")}},
		z3950test.Faults(z3950test.Fault{Command: z3950test.Init, Do: z3950test.Hang, Once: true}),
	)
	defer server.Close()

	for range 2 {
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			fmt.Println(err)
			return
		}
		conn.Write((&z3950.Init{Versions: z3950.Versions}).Append(nil))
		_, err = z3950.NewDecoder(bufio.NewReader(conn)).Begin(100_000)
		fmt.Println(err)
		conn.Close()
	}
	for _, r := range server.Requests() {
		fmt.Println(r.Conn, r.Command)
	}
	// Output:
	// EOF
	// <nil>
	// 1 Init
	// 2 Init
}
