package nntptest_test

import (
	"fmt"
	"net/textproto"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/nntptest"
)

func Example() {
	server := nntptest.NewServer(fstest.MapFS{
		"test.misc/1": {Data: []byte("From: joe@example.com\nSubject: hi\nMessage-ID: <1@example.com>\n\nhello\n")},
	})
	defer server.Close()

	// The client under test would have server.URL + "/test.misc/1".
	conn, err := textproto.Dial("tcp", server.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	reply, _ := conn.ReadLine()
	fmt.Println(reply)
	for _, line := range []string{"GROUP test.misc", "STAT 1", "QUIT"} {
		conn.PrintfLine("%s", line)
		reply, _ := conn.ReadLine()
		fmt.Println(reply)
	}
	for _, line := range server.Transcript() {
		fmt.Println(line)
	}
	// Output:
	// 201 nntptest ready, posting prohibited.
	// 211 1 1 1 test.misc
	// 223 1 <1@example.com>
	// 205 Goodbye.
	// GROUP test.misc
	// STAT 1
	// QUIT
}

// A fault of one article, which strikes once: a client should ask again.
func ExampleFaults() {
	server := nntptest.NewServer(
		fstest.MapFS{"test.misc/1": {Data: []byte("Subject: one\nMessage-ID: <1@example.com>\n\nhello\n")}},
		nntptest.Faults(nntptest.Fault{Command: "STAT", Path: "test.misc/1", Do: nntptest.Say403, Once: true}),
	)
	defer server.Close()

	conn, err := textproto.Dial("tcp", server.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	conn.ReadLine()
	for _, line := range []string{"GROUP test.misc", "STAT 1", "STAT <1@example.com>"} {
		conn.PrintfLine("%s", line)
		reply, _ := conn.ReadLine()
		fmt.Println(reply)
	}
	for _, r := range server.Requests() {
		fmt.Println(r.Command, r.Path)
	}
	// Output:
	// 211 1 1 1 test.misc
	// 403 Internal fault.
	// 223 0 <1@example.com>
	// GROUP test.misc
	// STAT test.misc/1
	// STAT test.misc/1
}
