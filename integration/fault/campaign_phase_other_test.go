package fault_test

import (
	"bufio"
	"io"
	"net"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/wais/apdu"
)

// oneLine reads a line and then answers, as gopher and finger do.
func oneLine(addr, asked, reply string, listed bool) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		s.listed = listed
		s.serve(addr, func(c *link) {
			if _, err := bufio.NewReader(c).ReadString('\n'); err != nil || strike(c) {
				return
			}
			io.WriteString(c, reply)
		})
		return asked
	}
}

// waisAt strikes in place of the answer to an Init, or to a search.
func waisAt(kind apdu.PDU) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		s.listed = true
		s.serve("good.test:210", func(c *link) {
			for {
				_, asked, err := apdu.Read(c, nil, 1<<20)
				if err != nil {
					return
				}
				is, err := apdu.Kind(asked)
				if err != nil || is == kind && strike(c) {
					return
				}
				var reply []byte
				if is == apdu.InitPDU {
					reply = (&apdu.InitResponse{Accepted: true, Init: apdu.Init{Options: apdu.OptionSearch, PreferredMessageSize: 100_000, MaximumRecordSize: 100_000}}).Append(nil)
				} else {
					reply = (&apdu.Response{Returned: 1, Hits: []apdu.Hit{{DocumentID: "\x02\x03\x01id", Score: 1000, Types: []string{"TEXT"}, Headline: "bees"}}}).Append(nil)
				}
				c.Write(apdu.Plain.Append(nil, reply))
			}
		})
		return "wais://good.test/garden?bees"
	}
}

// waisBegun is a header that announces 90,000 octets, and the first of them.
var waisBegun = string(apdu.Plain.Append(nil, make([]byte, 90_000))[:apdu.HeaderSize+1])

var otherPhases = []phase{
	{reply: "the first line of a gopher menu", serve: oneLine("good.test:70", "gopher://good.test/1/", menu+".\r\n", true), final: true,
		text: "0entry", line: "0an entry\t/x\tgood.test\t70\r\n", ends: unseen, skip: []string{endless, drips}, entries: 100},
	{reply: "a line of a gopher menu", serve: oneLine("good.test:70", "gopher://good.test/1/", menu+".\r\n", true), final: true,
		begun: "0an entry\t/x", text: "/x", bounds: bySpeed, ends: unseen, entries: 100},
	// A server without Gopher+ may have a file that begins like this.
	{reply: "the status line of Gopher+", serve: oneLine("good.test:70", "gopher://good.test/9/f.bin%09%09+", "+262144\r\n"+body, false),
		final: true, begun: "+2", text: "1", bounds: bySpeedOrSize, ends: []verdict{right, unconfirmed, honest}, data: [][]byte{v1.data, []byte("+2")}, tells: true},
	{reply: "the error of Gopher+", serve: oneLine("good.test:70", "gopher://good.test/9/f.bin%09%09+", "+262144\r\n"+body, false), final: true,
		begun: "--2\r\n2 try", text: " again", line: " again\r\nlater"},
	{reply: "the answer of finger", serve: oneLine("good.test:79", "finger://good.test/joe", lines, false), final: true,
		text: "x", line: "", ends: unseen, data: isText, bounds: bySpeedOrSize},
	{reply: "the header of the answer to Init of WAIS", serve: waisAt(apdu.InitPDU), final: true, begun: "00000", text: "0", entries: 1},
	{reply: "the answer to Init of WAIS", serve: waisAt(apdu.InitPDU), final: true, begun: waisBegun, text: "x", skip: []string{longLine}, entries: 1},
	{reply: "the header of the answer to a search of WAIS", serve: waisAt(apdu.SearchPDU), final: true, begun: "00000", text: "0", entries: 1},
	{reply: "the answer to a search of WAIS", serve: waisAt(apdu.SearchPDU), final: true, begun: waisBegun, text: "x", skip: []string{longLine}, entries: 1},
}

// through has the file come through a proxy in memory.
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

// take reads so many octets.
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

// speakSOCKS4 is a proxy that strikes in place of its one reply.
func speakSOCKS4(c *link, strike func(net.Conn) bool) bool {
	if !take(c, 8) || !takeString(c) || !takeString(c) || strike(c) {
		return false
	}
	io.WriteString(c, "\x00\x5a\x00\x00\x00\x00\x00\x00")
	return true
}

// speakSOCKS5 is a proxy that strikes in place of one of its two replies.
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

// speakCONNECT is a proxy of HTTP that strikes in place of its reply.
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
