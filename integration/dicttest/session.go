package dicttest

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A session is one connection.
type session struct {
	server *Server
	number int
	conn   *net.TCPConn
	out    *bufio.Writer
	id     string // the message-id of the banner
	user   string // user of the login
	left   bool
}

// commands has the method that answers each command, with the number of its arguments.
var commands = map[string]struct {
	args int
	run  func(s *session, args []string)
}{
	"CLIENT": {0, func(s *session, _ []string) { s.reply("250 ok") }},
	"STATUS": {0, func(s *session, _ []string) { s.reply("210 status") }},
	"HELP":   {0, func(s *session, _ []string) { s.text("113 help text follows", "Nobody helps you here.\r\n") }},
	"QUIT":   {0, func(s *session, _ []string) { s.reply("221 bye"); s.left = true }},
	"AUTH":   {2, (*session).auth},
	"DEFINE": {2, (*session).define},
	"MATCH":  {3, (*session).match},
	"SHOW":   {1, (*session).show},
}

// maxLine bounds a command line with its line end (RFC 2229, section 2.2).
const maxLine = 1024

// serve holds one conversation, from the banner to the end.
func (s *Server) serve(_ context.Context, conn *net.TCPConn, number int) {
	c := &session{server: s, number: number, conn: conn, out: bufio.NewWriter(conn), id: fmt.Sprintf("<%d@dicttest>", number)}
	in := bufio.NewReaderSize(conn, maxLine)
	capabilities := "mime"
	if len(s.users) > 0 {
		capabilities += ".auth"
	}
	if reply, ok := s.replies.To("BANNER", Request{Conn: number}); ok {
		c.reply(reply)
	} else {
		c.reply("220 dicttest <" + capabilities + "> " + c.id)
	}
	for !c.left {
		if in.Buffered() == 0 {
			c.out.Flush()
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			c.left = true
			break
		}
		c.answer(strings.TrimRight(string(line), "\r\n"))
	}
	c.out.Flush()
}

// refuse greets a connection that is one too many.
func (s *Server) refuse(conn *net.TCPConn) {
	fmt.Fprint(conn, "420 too many connections\r\n")
}

// answer runs one command.
func (s *session) answer(line string) {
	words := split(line)
	r := Request{Conn: s.number, Line: line, User: s.user}
	if len(words) > 0 {
		r.Command, r.Args = strings.ToUpper(words[0]), words[1:]
	}
	s.server.requests.Add(r)
	reply, scripted := s.server.replies.To(server.UpperVerb(line), r)
	command, known := commands[r.Command]
	switch {
	case scripted:
		s.reply(reply)
	case !known:
		s.reply("500 unknown command")
	case s.server.without[r.Command]:
		s.reply("502 command not implemented")
	case len(r.Args) < command.args:
		s.reply("501 illegal parameters")
	default:
		command.run(s, r.Args)
	}
}

// split takes a command apart: words, and strings in double quotes (RFC 2229, section 2.2).
func split(line string) (words []string) {
	var b strings.Builder
	begun, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
			begun = true
		case c == '"':
			begun, quoted = true, !quoted
		case c == ' ' && !quoted:
			if begun {
				words = append(words, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, b.String())
	}
	return words
}

func (s *session) say(text string)   { s.out.WriteString(text) }
func (s *session) reply(line string) { s.say(line + "\r\n") }

// text sends a status line, a text and 250.
func (s *session) text(status, text string) {
	s.reply(status)
	s.say(stuffed(text) + ".\r\n250 ok\r\n")
}

// stuffed returns lines of which those that begin with a dot have another one.
func stuffed(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll("\r\n"+text, "\r\n.", "\r\n.."), "\r\n")
}

// quoted returns a string as it stands in a reply.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// auth logs a user in if the password is right (RFC 2229, section 3.11).
func (s *session) auth(args []string) {
	password, known := s.server.users[args[0]]
	sum := md5.Sum([]byte(s.id + password))
	if !known || args[1] != hex.EncodeToString(sum[:]) {
		s.reply("531 access denied")
		return
	}
	s.user = args[0]
	s.reply("230 authenticated")
}

// visible returns the databases that name means to the client: "*" is all, and "!" too, as
// far as the first with an answer.
func (s *session) visible(name string) (all []*database) {
	for _, d := range s.server.databases {
		if (name == "*" || name == "!" || name == d.name) && (s.user != "" || !s.server.private[d.name]) {
			all = append(all, d)
		}
	}
	return all
}

// find returns the words of databases that match, each with its database.
func (s *session) find(name string, how strategy, asked string) (words []string, of []*database, ok bool) {
	databases := s.visible(name)
	if len(databases) == 0 && name != "*" && name != "!" {
		s.reply("550 invalid database, use SHOW DB for list")
		return nil, nil, false
	}
	for _, d := range databases {
		for _, word := range d.match(how, asked) {
			words, of = append(words, word), append(of, d)
		}
		if name == "!" && len(words) > 0 {
			break
		}
	}
	if len(words) == 0 {
		s.reply("552 no match")
		return nil, nil, false
	}
	return words, of, true
}

func (s *session) define(args []string) {
	words, of, ok := s.find(args[0], strategies[0], args[1])
	if !ok {
		return
	}
	s.reply(fmt.Sprintf("150 %d definitions retrieved", len(words)))
	for i, word := range words {
		s.reply(fmt.Sprintf("151 %s %s %s", quoted(word), of[i].name, quoted(of[i].description)))
		text := stuffed(of[i].texts[word])
		if s.struck(of[i].name+"/"+word, text) {
			s.left = true
			s.conn.Close()
			return
		}
		s.say(text + ".\r\n")
	}
	s.reply("250 ok")
}

func (s *session) match(args []string) {
	for i, how := range strategies {
		if how.name != args[1] && (args[1] != "." || i != 1) {
			continue
		}
		words, of, ok := s.find(args[0], how, args[2])
		if !ok {
			return
		}
		var b strings.Builder
		for i, word := range words {
			b.WriteString(of[i].name + " " + quoted(word) + "\r\n")
		}
		s.text(fmt.Sprintf("152 %d matches found", len(words)), b.String())
		return
	}
	s.reply("551 invalid strategy, use SHOW STRAT for a list")
}

func (s *session) show(args []string) {
	var b strings.Builder
	switch what := strings.ToUpper(args[0]); {
	case what == "DB" || what == "DATABASES":
		all := s.visible("*")
		if len(all) == 0 {
			s.reply("554 no databases present")
			return
		}
		for _, d := range all {
			b.WriteString(d.name + " " + quoted(d.description) + "\r\n")
		}
		s.text(fmt.Sprintf("110 %d databases present", len(all)), b.String())
	case what == "STRAT" || what == "STRATEGIES":
		for _, how := range strategies {
			b.WriteString(how.name + " " + quoted(how.description) + "\r\n")
		}
		s.text(fmt.Sprintf("111 %d strategies present", len(strategies)), b.String())
	case what == "SERVER":
		s.text("114 server information", "dicttest, for tests.\r\n")
	case what == "INFO" && len(args) == 2:
		all := s.visible(args[1])
		if len(all) == 0 || args[1] == "*" || args[1] == "!" {
			s.reply("550 invalid database, use SHOW DB for list")
			return
		}
		s.text("112 information for "+all[0].name, all[0].info)
	default:
		s.reply("501 illegal parameters")
	}
}
