package fault_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
)

// odd makes a server of the file with octets before its last header line.
func odd(octets string) func(*scene) string { return says(ok, octets, length, "\r\n", body) }

var httpHeaders = []trial{
	{id: "n-nul-value", serve: odd("X-A: a\x00b\r\n")},
	{id: "n-nul-name", serve: odd("X\x00A: b\r\n")},
	{id: "n-bare-cr", serve: odd("X-A: a\rContent-Length: 131072\r\n")},
	{id: "n-bare-lf", serve: odd("X-A: a\nX-B: b\r\n")},
	{id: "n-nocolon", serve: odd("a line without colon\r\n")},
	{id: "n-first-fold", serve: odd(" Content-Length: 131072\r\n")},
	{id: "n-ansi-reason", serve: says("HTTP/1.1 404 \x1b]0;PWN\aNot Found\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{id: "n-junk-before", serve: says("\r\n", ok, length, "\r\n", body)},
	// After a redirection comes an answer that nobody asked for; the right one comes
	// to the question.
	{id: "n-smuggle", serve: func(s *scene) string {
		return "http://" + s.listen(func(c *net.TCPConn) {
			in := bufio.NewReader(c)
			for {
				req, err := nethttp.ReadRequest(in)
				if err != nil {
					return
				}
				if req.URL.Path == "/f.bin" {
					io.WriteString(c, "HTTP/1.1 302 Found\r\nContent-Length: 5\r\nLocation: /good\r\n\r\n12345")
					fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", ok, len(v4.data), v4.data)
					continue
				}
				io.WriteString(c, ok+length+"\r\n"+body)
			}
		}) + "/f.bin"
	}},
}
