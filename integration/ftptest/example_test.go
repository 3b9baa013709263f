package ftptest_test

import (
	"fmt"
	"net/textproto"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

func Example() {
	server := ftptest.NewServer(fstest.MapFS{
		"pub/hello.txt": {Data: []byte("hello\n")},
	})
	defer server.Close()

	// The client under test would have server.URL + "/pub/hello.txt".
	conn, err := textproto.Dial("tcp", server.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	reply, _ := conn.ReadLine()
	fmt.Println(reply)
	for _, line := range []string{"USER anonymous", "PASS me@example.org", "TYPE I", "SIZE pub/hello.txt", "QUIT"} {
		conn.PrintfLine("%s", line)
		reply, _ := conn.ReadLine()
		fmt.Println(reply)
	}

	for _, line := range server.Transcript() {
		fmt.Println(line)
	}
	// Output:
	// 220 ftptest ready.
	// 331 Please specify the password.
	// 230 Login successful.
	// 200 Type set.
	// 213 6
	// 221 Goodbye.
	// USER anonymous
	// PASS me@example.org
	// TYPE I
	// SIZE pub/hello.txt
	// QUIT
}

// A server that is interrupted once: the client should resume with REST.
func ExampleFaults() {
	server := ftptest.NewServer(
		fstest.MapFS{"big.iso": {Data: make([]byte, 1<<20)}},
		ftptest.User("joe", "secret"),
		ftptest.Without("MLSD", "MLST"),
		ftptest.Faults(ftptest.Fault{After: 1 << 19, Do: ftptest.Drop, Once: true}),
	)
	defer server.Close()
}
