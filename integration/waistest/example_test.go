package waistest_test

import (
	"fmt"
	"net"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/internal/apdu"
)

func Example() {
	server := waistest.NewServer(fstest.MapFS{
		"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney is taken in August.\n")},
	})
	defer server.Close()

	// The client under test would have server.URL + "/garden?honey".
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	question := &apdu.Search{Database: "garden", Words: &apdu.Words{SeedWords: "honey", DateFactor: 1, MaxDocuments: 10}}
	conn.Write(apdu.Plain.Append(nil, question.Append(nil)))
	_, body, err := apdu.Read(conn, nil, 100_000)
	if err != nil {
		panic(err)
	}
	answer, err := apdu.ParseResponse(body)
	if err != nil {
		panic(err)
	}
	for _, hit := range answer.Hits {
		fmt.Println(hit.Score, hit.DocumentLength, hit.Headline)
	}
	fmt.Println(server.Transcript())
	// Output:
	// 1000 40 Keeping bees
	// [Search "garden" "honey" 10]
}

// A server that closes the first connection in place of an answer.
func ExampleFaults() {
	server := waistest.NewServer(
		fstest.MapFS{"garden/bees.txt": {Data: []byte("Keeping bees\n")}},
		waistest.Faults(waistest.Fault{Command: waistest.Init, Do: waistest.Hang, Once: true}),
	)
	defer server.Close()

	for range 2 {
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			fmt.Println(err)
			return
		}
		conn.Write(apdu.Plain.Append(nil, (&apdu.Init{MaximumRecordSize: 30_000}).Append(nil)))
		_, _, err = apdu.Read(conn, nil, 100_000)
		fmt.Println(err)
		conn.Close()
	}
	for _, r := range server.Requests() {
		fmt.Println(r.Conn, r.Command, r.Size)
	}
	// Output:
	// EOF
	// <nil>
	// 1 Init 30000
	// 2 Init 30000
}
