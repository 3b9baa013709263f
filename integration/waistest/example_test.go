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

// A server that is interrupted once in the middle of a document.
func ExampleFaults() {
	server := waistest.NewServer(
		fstest.MapFS{"garden/bees.txt": {Data: make([]byte, 1<<20)}},
		waistest.Faults(waistest.Fault{Request: waistest.Retrieve, After: 3, Do: waistest.Reset, Once: true}),
	)
	defer server.Close()
}
