package sessions

import "strings"

// definitionOf is the document of a name as it is delivered.
func definitionOf(name string) string {
	return "From files [db]:\r\n\r\n" + text(name)
}

// serveDict serves databases that define every name.
func serveDict(v *visit) {
	v.say("220 ready\r\n")
	for {
		line, ok := v.line()
		if !ok {
			return
		}
		verb, argument, _ := strings.Cut(line, " ")
		v.record(line, verb == "DEFINE")
		switch verb {
		case "QUIT":
			v.say("221 goodbye\r\n")
			return
		case "STATUS":
			v.say("210 ready\r\n")
		case "DEFINE":
			name := strings.Trim(strings.TrimPrefix(argument, "db "), `"`)
			r := reply{whole: replyDefinition(name), surplus: replyDefinition(stale), end: len("250 ok\r\n"), goodbye: "421 closing\r\n"}
			r.early = r.goodbye // a definition would pass for the answer: its word may be another one
			if v.reply(verb, r) == gone {
				return
			}
		default:
			v.last = "250 ok\r\n"
			v.say(v.last)
		}
	}
}

func replyDefinition(name string) string {
	return "150 1 definitions\r\n151 \"" + name + "\" db \"files\"\r\n" + text(name) + ".\r\n250 ok\r\n"
}
