package fault_test

import (
	"io"
	"net"
	"strings"
)

// through makes a trial fetch the file through a proxy in memory.
func through(via string, speak func(c *link, strike func(net.Conn) bool) bool) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		s.via = via
		_, addr, _ := strings.Cut(via, "://")
		s.serve(addr, func(c *link) {
			if speak(c, strike) {
				talkHTTP(c, func(net.Conn) bool { return false })
			}
		})
		return "http://good.test/f.bin"
	}
}

// take reads n octets.
func take(c *link, n int) bool {
	_, err := io.ReadFull(c, make([]byte, n))
	return err == nil
}

// takeString reads up to a NUL.
func takeString(c *link) bool {
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(c, b); err != nil || b[0] == 0 {
			return err == nil
		}
	}
}

// speakSOCKS4 is a SOCKS 4 proxy that strikes in place of its one reply.
func speakSOCKS4(c *link, strike func(net.Conn) bool) bool {
	if !take(c, 8) || !takeString(c) || !takeString(c) || strike(c) {
		return false
	}
	io.WriteString(c, "\x00\x5a\x00\x00\x00\x00\x00\x00")
	return true
}

// speakSOCKS5 is a SOCKS 5 proxy that strikes in place of one of its two replies.
func speakSOCKS5(reply int) func(c *link, strike func(net.Conn) bool) bool {
	return func(c *link, strike func(net.Conn) bool) bool {
		if !take(c, 3) || reply == 1 && strike(c) {
			return false
		}
		io.WriteString(c, "\x05\x00")
		// The request has the name good.test.
		if !take(c, 4+1+len("good.test")+2) || reply == 2 && strike(c) {
			return false
		}
		io.WriteString(c, "\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50")
		return true
	}
}

// speakCONNECT is an HTTP proxy that strikes in place of its response.
func speakCONNECT(c *link, strike func(net.Conn) bool) bool {
	for begun := []byte{}; !strings.HasSuffix(string(begun), "\r\n\r\n"); {
		b := make([]byte, 1)
		if _, err := io.ReadFull(c, b); err != nil {
			return false
		}
		begun = append(begun, b[0])
	}
	if strike(c) {
		return false
	}
	io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	return true
}

var proxyPhases = []phase{
	{reply: "the reply of SOCKS4", serve: through("socks4a://good.test:1080", speakSOCKS4), final: true, begun: "\x00\x5a\x00", text: "\x00"},
	{reply: "the method of SOCKS5", serve: through("socks5h://good.test:1080", speakSOCKS5(1)), final: true, begun: "\x05", text: "\x00"},
	{reply: "the reply of SOCKS5", serve: through("socks5h://good.test:1080", speakSOCKS5(2)), final: true, begun: "\x05\x00\x00\x03\xff", text: "x"},
	{reply: "the status line of CONNECT", serve: through("http://good.test:3128", speakCONNECT), final: true, begun: "HTTP/1.1 2", text: "00 OK", line: "00 OK\r\n" + field},
	{reply: "the header of CONNECT", serve: through("http://good.test:3128", speakCONNECT), final: true, begun: "HTTP/1.1 200 OK\r\nX-A: a", text: "a", line: "\r\nX-A: a"},
	{reply: "an interim answer to CONNECT", serve: through("http://good.test:3128", speakCONNECT), final: true, begun: "HTTP/1.1 103 Early Hints\r\n", text: "X-A", line: "\r\n" + interim + "HTTP/1.1 103 Early Hints\r\n"},
}
