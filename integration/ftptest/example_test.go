package ftptest_test

import (
	"fmt"
	"net"
	"net/textproto"
	"os"
	"strings"
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

// A fault of one file, which strikes once, so that a retry succeeds. It is the fault of a command;
// that of a transfer can strike after a number of octets.
func ExampleFaults() {
	server := ftptest.NewServer(
		fstest.MapFS{"big.iso": {Data: make([]byte, 1<<20)}, "small": {}},
		ftptest.Faults(ftptest.Fault{Command: "SIZE", Path: "big.iso", Do: ftptest.Say451, Once: true}),
	)
	defer server.Close()

	conn, err := textproto.Dial("tcp", server.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	conn.ReadLine()
	for _, line := range []string{"USER ftp", "PASS me@", "TYPE I", "SIZE small", "SIZE big.iso", "SIZE big.iso"} {
		conn.PrintfLine("%s", line)
		reply, _ := conn.ReadLine()
		fmt.Println(reply)
	}
	// Output:
	// 331 Please specify the password.
	// 230 Login successful.
	// 200 Type set.
	// 213 0
	// 451 Local error in processing.
	// 213 1048576
}

// A server that takes uploads into a directory. Requests tell which file a command is
// about, wherever the client has gone before.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "upload")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	server := ftptest.NewServer(root.FS(), ftptest.Store(root))
	defer server.Close()

	conn, err := textproto.Dial("tcp", server.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	conn.ReadLine()
	for _, line := range []string{"USER ftp", "PASS me@", "MKD in", "CWD in", "EPSV"} {
		conn.PrintfLine("%s", line)
		reply, _ := conn.ReadLine()
		if line == "EPSV" {
			port := strings.Split(reply, "|")[3]
			data, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err != nil {
				fmt.Println(err)
				return
			}
			conn.PrintfLine("STOR a.txt")
			fmt.Fprint(data, "hello\r\n")
			data.Close()
		}
	}
	for range 2 {
		reply, _ := conn.ReadLine()
		fmt.Println(reply)
	}
	text, err := root.ReadFile("in/a.txt")
	fmt.Printf("%q %v\n", text, err)
	for _, r := range server.Requests()[2:] {
		fmt.Printf("%s %q\n", r.Command, r.Path)
	}
	// Output:
	// 150 Ok to send data.
	// 226 Transfer complete.
	// "hello\n" <nil>
	// MKD "in"
	// CWD "in"
	// EPSV ""
	// STOR "in/a.txt"
}
