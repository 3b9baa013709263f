package fault_test

import (
	"bufio"
	"io"
	"net"

	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/internal/z3950"
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

// z3950At strikes in place of the answer to one kind of request.
func z3950At(kind z3950.Tag) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		s.listed = true
		s.serve("good.test:210", func(c *link) {
			for d := z3950.NewDecoder(bufio.NewReader(c)); ; {
				tag, err := d.Begin(1 << 20)
				if err != nil || d.Finish() != nil || tag == kind && strike(c) {
					return
				}
				var reply []byte
				switch tag {
				case z3950.InitRequestTag:
					reply = (&z3950.InitResponse{Accepted: true, Init: z3950.Init{Versions: z3950.Versions}}).Append(nil)
				case z3950.SearchRequestTag:
					reply = (&z3950.Response{Tag: z3950.SearchResponseTag, Count: 1, Found: true}).Append(nil)
				case z3950.PresentRequestTag:
					reply = (&z3950.Response{Tag: z3950.PresentResponseTag, Records: []z3950.Record{
						{Syntax: z3950.SUTRS, Element: true, Content: []byte("bees")},
					}}).Append(nil)
				}
				if _, err := c.Write(reply); err != nil {
					return
				}
			}
		})
		return "z39.50s://good.test/garden?title=bees"
	}
}

// z3950Begun is the beginning of an answer of 90,000 octets.
func z3950Begun(tag string) string { return tag + "\x83\x01\x5F\x90" }

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
	{reply: "the answer to Init of Z39.50", serve: z3950At(z3950.InitRequestTag), begun: z3950Begun("\xB5"), text: "x", skip: []string{longLine}, entries: 1},
	{reply: "the answer to a search of Z39.50", serve: z3950At(z3950.SearchRequestTag), begun: z3950Begun("\xB7"), text: "x", skip: []string{longLine}, entries: 1},
	{reply: "the answer to Present of Z39.50", serve: z3950At(z3950.PresentRequestTag), begun: z3950Begun("\xB9"), text: "x", skip: []string{longLine}, entries: 1},
	{reply: "the answer to a search of WAIS", serve: waisAt(apdu.SearchPDU), final: true, begun: waisBegun, text: "x", skip: []string{longLine}, entries: 1},
}
