package embed

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// servesKey is the name of the environment variable that makes this program a server.
const servesKey = "FETCH_EMBED_SERVES"

// serveAlone prints the port of a server, and serves until the end of standard input.
func serveAlone() {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := &server{conns: make(map[net.Conn]bool)}
	go s.accept(l)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	fmt.Println(port)
	io.Copy(io.Discard, os.Stdin)
}

// newProcess returns the port of a server in a process of its own, so that a client may have as
// many connections as a process may have descriptors.
func newProcess(b *testing.B) (port string) {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), servesKey+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	port, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(port)
}
