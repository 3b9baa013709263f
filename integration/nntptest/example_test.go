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

// A server that is interrupted once in the middle of an article, and wants a login.
func ExampleFaults() {
	server := nntptest.NewServer(
		fstest.MapFS{"test.misc/1": {Data: []byte("Subject: long\n\n" + string(make([]byte, 1<<20)))}},
		nntptest.User("joe", "s3cret"), nntptest.Private("test.misc"),
		nntptest.Faults(nntptest.Fault{After: 1 << 19, Do: nntptest.Reset, Once: true}),
	)
	defer server.Close()
}
