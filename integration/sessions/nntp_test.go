package sessions

import (
	"fmt"
	"strings"
)

func messageID(name string) string { return name + "@example.com" }

// articleOf is the article of a name, as it is delivered.
func articleOf(name string) string {
	return "Message-ID: <" + messageID(name) + ">\r\nSubject: " + name + "\r\n\r\n" + text(name)
}

// stale is the name of a document that is never requested.
const stale = "stale"

// serveNNTP serves groups of one article, which has the number 1.
func serveNNTP(v *visit) {
	group := ""
	v.say("201 ready\r\n")
	for {
		line, ok := v.line()
		if !ok {
			return
		}
		verb, argument, _ := strings.Cut(line, " ")
		v.record(line, verb == "ARTICLE")
		r := reply{whole: "500 not here\r\n"}
		switch verb {
		case "QUIT":
			v.say("205 goodbye\r\n")
			return
		case "MODE":
			r.whole = "201 ready\r\n"
		case "DATE":
			r.whole = "111 20260102030405\r\n"
		case "GROUP":
			group = argument
			r.whole = fmt.Sprintf("211 1 1 1 %s\r\n", group)
			r.surplus = r.whole
		case "ARTICLE":
			number, name := "1", group
			if id, ok := strings.CutSuffix(argument, "@example.com>"); ok {
				number, name = "0", strings.TrimPrefix(id, "<")
			}
			r.whole, r.surplus = replyArticle(number, name), replyArticle(number, stale)
			r.end = len(".\r\n")
		}
		r.goodbye = "400 closing\r\n"
		if r.end == 0 {
			r.end = len("\r\n")
		}
		if v.reply(verb, r) == gone {
			return
		}
	}
}

func replyArticle(number, name string) string {
	return fmt.Sprintf("220 %s <%s>\r\n%s.\r\n", number, messageID(name), articleOf(name))
}
