package fault_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	nethttp "net/http"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// goodReply is the header for the file, which can be resumed.
const goodReply = ok + "ETag: \"v1\"\r\nContent-Length: 262144\r\n\r\n"

// talkHTTP answers every request of a connection with the file, unless strike has put a
// fault in its place.
func talkHTTP(c net.Conn, strike func(net.Conn) bool) {
	in := bufio.NewReader(c)
	for {
		if _, err := nethttp.ReadRequest(in); err != nil {
			return
		}
		if strike(c) {
			return
		}
		io.WriteString(c, goodReply+body)
	}
}

// inClear strikes in place of the response over http.
func inClear(s *scene, strike func(net.Conn) bool) string {
	s.serve("good.test:80", func(c *link) { talkHTTP(c, strike) })
	return "http://good.test/f.bin"
}

// inTLS strikes in place of the response over https.
func inTLS(s *scene, strike func(net.Conn) bool) string {
	config, cert := certificate.Loopback()
	s.trust = &tls.Config{RootCAs: certificate.Pool(cert)}
	s.serve("localhost:443", func(c *link) {
		secure := tls.Server(c, config)
		talkHTTP(secure, strike)
	})
	return "https://localhost/f.bin"
}

// beforeTLS strikes in place of the server's part of the handshake.
func beforeTLS(s *scene, strike func(net.Conn) bool) string {
	config, cert := certificate.Loopback()
	s.trust = &tls.Config{RootCAs: certificate.Pool(cert)}
	s.serve("localhost:443", func(c *link) {
		if strike(c) {
			return
		}
		secure := tls.Server(c, config)
		talkHTTP(secure, func(net.Conn) bool { return false })
		secure.Close()
	})
	return "https://localhost/f.bin"
}

const (
	field   = "X-A: b\r\n"
	interim = "HTTP/1.1 102 Processing\r\n\r\n"
)

var httpPhases = []phase{
	{reply: "the answer of HTTP", serve: inClear, text: "HTTP/1.1 200 OK ", line: interim},
	{reply: "the status line of HTTP", serve: inClear, begun: "HTTP/1.1 2", text: "00 OK", line: "00 OK\r\n" + field},
	{reply: "the first header line of HTTP", serve: inClear, begun: ok, text: "X-A", line: field},
	{reply: "the value of a header field of HTTP", serve: inClear, begun: ok + length + "X-A: a", text: "a", line: "\r\nX-A: a"},
	{reply: "the empty line of HTTP", serve: inClear, begun: ok + length + "\r", text: "", line: "\r\nX-A: a\r"},
	{reply: "an interim answer of HTTP", serve: inClear, begun: "HTTP/1.1 103 Early Hints\r\nLink: </a>", text: "a", line: "\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>"},
	{reply: "the first chunk size of HTTP", serve: inClear, begun: inChunks + "1", text: "0", line: ";a=b", bounds: bySpeed},
	{reply: "the trailer of HTTP", serve: inClear, begun: inChunks + chunks(v1.data, "") + "0\r\nX-A", text: "a", line: ": b\r\nX-A", bounds: bySpeed},
	{reply: "the handshake of https", serve: beforeTLS, begun: "\x16\x03\x03\x00\x7a\x02\x00", text: "\x00", line: "\x16\x03\x03\x00\x04\x00\x00\x00\x00"},
	{reply: "the answer of https", serve: inTLS, text: "HTTP/1.1 200 OK ", line: interim},
	{reply: "the header of https", serve: inTLS, begun: ok + "X-A: a", text: "a", line: "\r\nX-A: a"},
}
