package fault_test

import (
	"bufio"
	"io"
	"net"
	"strings"
)

const (
	article = "Subject: hello\r\nMessage-ID: <a@good.test>\r\nFrom: joe@good.test\r\n\r\nhello, world\r\n"
	hello   = "5\thello\tjoe@good.test\tSat, 3 Feb 2001 04:05:06 GMT\t<a@good.test>\t\t20\t1\r\n"
)

var isArticle = [][]byte{[]byte(article)}

// newsWords are the replies of a news server by command; "" is the greeting.
var newsWords = map[string]string{
	"":             "201 ready, no posting",
	"MODE":         "201 ready, no posting",
	"CAPABILITIES": "101 here they are\r\nVERSION 2\r\nREADER\r\nOVER\r\n.",
	"GROUP":        "211 1 5 5 good.group",
	"ARTICLE":      "220 5 <a@good.test>\r\n" + article + ".",
	"HEAD":         "221 5 <a@good.test>\r\nSubject: hello\r\nMessage-ID: <a@good.test>\r\n.",
	"OVER":         "224 here it is\r\n" + hello + ".",
	"QUIT":         "205 goodbye",
}

// newsAt strikes in place of the reply to a command, or of the greeting if that is "". It
// returns asked, the URL of the trial.
func newsAt(verb, asked string) func(s *scene, strike func(net.Conn) bool) string {
	return func(s *scene, strike func(net.Conn) bool) string {
		s.listed = strings.HasSuffix(asked, "group")
		s.serve("good.test:119", func(c *link) {
			if verb == "" && strike(c) {
				return
			}
			io.WriteString(c, newsWords[""]+"\r\n")
			for in := bufio.NewReader(c); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				command, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
				if command == verb && strike(c) {
					return
				}
				reply := newsWords[command]
				if reply == "" {
					reply = "500 no"
				}
				if strings.HasPrefix(argument, "<") { // then the number is 0 (RFC 3977, section 6.2.1)
					reply = strings.Replace(reply, "220 5", "220 0", 1)
				}
				io.WriteString(c, reply+"\r\n")
			}
		})
		return asked
	}
}

const (
	byNumber = "nntp://good.test/good.group/5"
	byID     = "news://good.test/a@good.test"
	inGroup  = "nntp://good.test/good.group"
)

var newsPhases = []phase{
	{reply: "the greeting of news", serve: newsAt("", byID), begun: "20", text: "1 hello ", line: "1 hello\r\n20", data: isArticle},
	{reply: "the reply to MODE READER of news", serve: newsAt("MODE", byID), begun: "20", text: "1 hello ", line: "1 hello\r\n20", data: isArticle},
	{reply: "the reply to GROUP of news", serve: newsAt("GROUP", byNumber), begun: "211 1 5", text: " 5", line: " 5 good.group\r\n211 1 5", data: isArticle},
	{reply: "the reply to ARTICLE of news", serve: newsAt("ARTICLE", byID), begun: "220 0", text: " <a", line: " <a@good.test>\r\n220 0", skip: []string{endless}, data: isArticle},
	{reply: "the header of an article", serve: newsAt("ARTICLE", byID), final: true, begun: "220 0 <a@good.test>\r\nSubject: h", text: "e", line: "\r\nX-A: b", data: isArticle},
	{reply: "a line of an article", serve: newsAt("ARTICLE", byID), begun: "220 0 <a@good.test>\r\nSubject: hello\r\n\r\nhello", text: "o", line: "\r\nhello", data: isArticle, bounds: bySpeedOrSize},
	{reply: "the reply to OVER of news", serve: newsAt("OVER", inGroup), begun: "22", text: "4 here", final: true, entries: 1},
	{reply: "a line of the overview of news", serve: newsAt("OVER", inGroup), begun: "224 here it is\r\n5\tsub", text: "ject", final: true, bounds: bySpeed, entries: 1},
}
