package wire_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A test has [wire.Play] where this example has Start and Close.
func Example() {
	script, err := wire.Parse([]byte(`A text file
-- url --
gopher://SERVER/0about
-- wire --
C: about
S: caf\xc3\xa9
S: .
! close
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	player, err := wire.Start(script)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer player.Close()

	// The client under test. It would get player.Expand(script.Section("url")).
	conn, err := net.Dial("tcp", player.Addr())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintf(conn, "about\r\n")
	body, err := io.ReadAll(bufio.NewReader(conn))
	conn.Close()
	fmt.Printf("%q %v\n", body, err)

	fmt.Println(player.Wait())
	fmt.Print(strings.TrimSpace(player.Transcript()))
	// Output:
	// "café\r\n.\r\n" <nil>
	// <nil>
	// ! connection
	// C: about
	// S: caf\xc3\xa9
	// S: .
	// ! close
	// # the client closed
}

// A Recorder writes both sides of an exchange as a script.
func ExampleRecorder() {
	var recorder wire.Recorder
	conn := recorder.Connect("\r\n")
	conn.Sent([]byte("about\r\n"))
	conn.Got([]byte("caf\xc3\xa9\r\n.\r\n"))
	conn.End("close")
	recorder.WriteTo(os.Stdout)
	// Output:
	// C: about
	// S: caf\xc3\xa9
	// S: .
	// ! close
}
