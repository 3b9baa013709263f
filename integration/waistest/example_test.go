package waistest_test

import (
	"fmt"
	"net"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers/wais/apdu"
	"github.com/seed1ea3422f/fetch/integration/waistest"
)

func Example() {
	server := waistest.NewServer(fstest.MapFS{
		"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney is taken in August.\n")},
	})
	defer server.Close()

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
