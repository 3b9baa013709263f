package fault_test

import "io"

// telnet makes a server that sends words and then calls then.
func telnet(words string, then func(s *scene, c *link)) func(*scene) string {
	return func(s *scene) string {
		s.session = true
		s.serve("good.test:23", func(c *link) {
			go io.Copy(io.Discard, c) // the client's part of the negotiation
			io.WriteString(c, words)
			then(s, c)
		})
		return "telnet://good.test/"
	}
}

// hangUp closes the server's direction of a connection, and reads the client's answers.
func (s *scene) hangUp(c *link) {
	c.out.end(io.EOF)
	io.Copy(io.Discard, c)
}

// Commands of telnet.
const (
	askEcho = "\xff\xfb\x01"
	begunSB = "\xff\xfa\x18\x01"
)

var telnetTrials = []trial{
	{name: "telnet", does: "a banner, and the end", serve: telnet(askEcho+"Welcome.\r\nlogin: ", (*scene).hangUp), want: mustBeRight},
	{name: "telnet is reset in its banner", does: "half of a banner, and a reset", serve: telnet("Welc", func(_ *scene, c *link) { c.reset() }), want: mustFail},
	{name: "telnet ends within a command", does: "IAC, and the end", serve: telnet("Welcome.\r\n\xff", func(*scene, *link) {}), want: mustFail},
	{name: "telnet ends within a subnegotiation", does: "SB, and the end", serve: telnet(begunSB+"xterm", func(*scene, *link) {}), want: mustFail},
	{name: "telnet negotiates without end", does: "WILL and WONT for ever", serve: telnet("", func(s *scene, c *link) { s.floodSlowly(c, askEcho+"\xff\xfc\x01") }), want: mustFail},
	{name: "telnet has a subnegotiation without end", does: "SB, and no end of it", serve: telnet(begunSB, func(s *scene, c *link) { s.floodSlowly(c, "xterm") }), want: mustFail},
}
