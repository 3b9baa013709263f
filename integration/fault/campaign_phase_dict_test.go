package fault_test

import (
	"bufio"
	"io"
	"net"
	"strings"
)

// dictWords are the replies of a dictionary server by command; "" is the banner.
var dictWords = map[string]string{
	"":       "220 good.test dictd <mime> <1@good.test>",
	"CLIENT": "250 ok",
	"DEFINE": "150 1 definitions retrieved\r\n151 \"sun\" wn \"WordNet\"\r\na star\r\n.\r\n250 ok",
	"MATCH":  "152 1 matches found\r\nwn \"sun\"\r\n.\r\n250 ok",
	"QUIT":   "221 bye",
}

// dictAt strikes in place of the reply to a command, or of the banner if that is "".
func dictAt(verb, asked string) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		s.listed = strings.Contains(asked, "/m:")
		s.serve("good.test:2628", func(c *link) {
			if verb == "" && strike(c) {
				return
			}
			io.WriteString(c, dictWords[""]+"\r\n")
			for in := bufio.NewReader(c); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				if command == verb && strike(c) {
					return
				}
				io.WriteString(c, dictWords[command]+"\r\n")
			}
		})
		return asked
	}
}

const (
	defined = "dict://good.test/d:sun:wn"
	matched = "dict://good.test/m:su:wn"
)

var isDefinition = [][]byte{[]byte("From WordNet [wn]:\r\n\r\na star\r\n")}

var dictPhases = []phase{
	{reply: "the banner of dict", serve: dictAt("", defined), begun: "22", text: "0 hello ", line: "0 hello\r\n22", data: isDefinition},
	{reply: "the reply to CLIENT of dict", serve: dictAt("CLIENT", defined), begun: "25", text: "0 ok", line: "0 ok\r\n25", data: isDefinition},
	{reply: "the reply to DEFINE of dict", serve: dictAt("DEFINE", defined), begun: "150 1", text: " definitions", line: " x\r\n150 1", data: isDefinition},
	{reply: "the beginning of a definition", serve: dictAt("DEFINE", defined), begun: "150 1 x\r\n151 \"sun\"", text: " wn", data: isDefinition},
	{reply: "a line of a definition", serve: dictAt("DEFINE", defined), begun: "150 1 x\r\n151 \"sun\" wn \"WordNet\"\r\na st", text: "ar", line: "ar\r\na st", data: isDefinition, bounds: bySpeedOrSize},
	{reply: "the reply after a definition", serve: dictAt("DEFINE", defined), begun: "150 1 x\r\n151 \"sun\" wn \"WordNet\"\r\na star\r\n.\r\n25", text: "0 ok ", data: isDefinition},
	{reply: "the reply to MATCH of dict", serve: dictAt("MATCH", matched), begun: "15", text: "2 here", final: true, entries: 1},
	{reply: "a line of the matches of dict", serve: dictAt("MATCH", matched), begun: "152 1 x\r\nwn ", text: "sun", final: true, bounds: bySpeed, entries: 1},
}
