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
	{name: "NUL in a header field", serve: odd("X-A: a\x00b\r\n")},
	{name: "NUL in the name of a header field", serve: odd("X\x00A: b\r\n")},
	{name: "a bare CR in a header field", serve: odd("X-A: a\rContent-Length: 131072\r\n")},
	{name: "a bare LF in a header field", serve: odd("X-A: a\nX-B: b\r\n")},
	{name: "a header line without a colon", serve: odd("a line without colon\r\n")},
	{name: "a first header line that is a continuation", serve: odd(" Content-Length: 131072\r\n")},
	{name: "a terminal sequence in the reason", serve: says("HTTP/1.1 404 \x1b]0;PWN\aNot Found\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{name: "an empty line before the status line", serve: says("\r\n", ok, length, "\r\n", body)},
	// An unrequested answer follows a redirection; the right one follows the request. Both arrive
	// at once: a client must take bytes that arrive after its request for the answer.
	{name: "an unrequested second answer", serve: func(s *scene) string {
		return "http://" + s.listen(func(c *net.TCPConn) {
			in := bufio.NewReader(c)
			for {
				req, err := nethttp.ReadRequest(in)
				if err != nil {
					return
				}
				if req.URL.Path == "/f.bin" {
					fmt.Fprintf(c, "HTTP/1.1 302 Found\r\nContent-Length: 5\r\nLocation: /good\r\n\r\n12345"+
						"%sContent-Length: %d\r\n\r\n%s", ok, len(v4.data), v4.data)
					continue
				}
				io.WriteString(c, ok+length+"\r\n"+body)
			}
		}) + "/f.bin"
	}},
}
