package nntptest

import (
	"bufio"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A session is one connection.
type session struct {
	server *Server
	number int // of the connection
	tcp    *net.TCPConn
	conn   net.Conn // tcp, or TLS on it
	ctx    context.Context
	in     *bufio.Reader
	out    *bufio.Writer
	packer *flate.Writer // nil without COMPRESS

	user     string // of AUTHINFO USER, then who is logged in
	loggedIn bool
	request  Request // the command that runs
	quitting bool
	group    *group // nil before GROUP
	current  int    // an index in its articles
}

// commands has the method that answers each command.
var commands = map[string]func(s *session, args []string){
	"CAPABILITIES": (*session).capabilities,
	"MODE":         (*session).mode,
	"QUIT":         (*session).quit,
	"DATE":         (*session).date,
	"HELP":         (*session).help,

	"GROUP":     (*session).groupCommand,
	"LISTGROUP": (*session).listGroup,
	"NEXT":      (*session).next,
	"LAST":      (*session).previous,
	"ARTICLE":   func(s *session, args []string) { s.article("ARTICLE", args) },
	"HEAD":      func(s *session, args []string) { s.article("HEAD", args) },
	"BODY":      func(s *session, args []string) { s.article("BODY", args) },
	"STAT":      func(s *session, args []string) { s.article("STAT", args) },

	"LIST":      (*session).list,
	"NEWGROUPS": (*session).newGroups,
	"OVER":      func(s *session, args []string) { s.over("OVER", args) },
	"XOVER":     func(s *session, args []string) { s.over("XOVER", args) },
	"HDR":       func(s *session, args []string) { s.hdr("HDR", args) },
	"XHDR":      func(s *session, args []string) { s.hdr("XHDR", args) },

	"AUTHINFO": (*session).authinfo,
	"STARTTLS": (*session).startTLS,
	"COMPRESS": (*session).compress,

	"POST":    func(s *session, _ []string) { s.reply("440 Nothing is posted here.") },
	"IHAVE":   func(s *session, _ []string) { s.reply("435 Nothing is wanted here.") },
	"NEWNEWS": func(s *session, _ []string) { s.reply("502 Not here.") },
}

// open are the commands that are answered without a login and without TLS.
var open = []string{"CAPABILITIES", "MODE", "QUIT", "DATE", "HELP", "AUTHINFO", "STARTTLS"}

// maxLine bounds a command line with its line end (RFC 3977, section 3.1).
const maxLine = 512

// serve holds one conversation, from the greeting to the end.
func (s *Server) serve(ctx context.Context, conn *net.TCPConn, number int) {
	c := &session{server: s, number: number, tcp: conn, conn: conn, ctx: ctx}
	c.use(conn)
	if s.implicit {
		c.secure()
	}
	if reply, ok := s.replies.To("GREETING", Request{Conn: number, TLS: c.isSecure()}); ok {
		c.reply(reply)
	} else {
		c.reply("201 " + s.greeting)
	}
	for !c.quitting {
		if c.in.Buffered() == 0 {
			c.flush()
		}
		octets, err := c.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull || len(octets) > maxLine {
			c.reply("501 The line is too long.")
			c.flush()
			return
		}
		if err != nil {
			return
		}
		line := strings.TrimSuffix(strings.TrimSuffix(string(octets), "\n"), "\r")
		c.answer(line)
	}
	c.flush()
}

// refuse greets a connection that is one too many.
func (s *Server) refuse(conn *net.TCPConn) {
	c := &session{server: s, tcp: conn}
	c.use(conn)
	if s.implicit {
		c.secure()
	}
	c.reply("502 Too many connections.")
	c.flush()
}

// use makes conn the connection of the session.
func (s *session) use(conn net.Conn) {
	s.conn, s.in, s.out = conn, bufio.NewReaderSize(conn, 4096), bufio.NewWriterSize(conn, 32<<10)
}

// flush sends the written bytes. An error is ignored: if the client has gone, the next read fails
// too.
func (s *session) flush() {
	s.out.Flush()
	if s.packer != nil {
		s.packer.Flush()
	}
}

// answer runs one command.
func (s *session) answer(text string) {
	line := server.UpperVerb(text)
	fields := strings.Fields(line)
	s.request = s.requestOf(text, fields)
	s.server.requests.Add(s.request)
	if len(fields) == 0 {
		return // INN says nothing either
	}
	verb := fields[0]
	run, known := commands[verb]
	reply, scripted := s.server.replies.To(line, s.request)
	switch {
	case scripted && reply == "":
	case scripted:
		s.reply(reply)
	case !known || s.server.without[verb]:
		s.reply("500 What?")
	case s.server.requireTLS && !s.isSecure() && (verb == "AUTHINFO" || !slices.Contains(open, verb)):
		s.reply("483 TLS comes first.")
	case !s.loggedIn && slices.Contains(s.server.private, "*") && !slices.Contains(open, verb):
		s.reply("480 A login is needed.")
	case s.struck(verb):
	default:
		run(s, fields[1:])
	}
}

// may reports whether the client may see a group, or answers that it may not.
func (s *session) may(g *group) bool {
	if !s.loggedIn && slices.Contains(s.server.private, g.name) {
		s.reply("480 A login is needed for that.")
		return false
	}
	return true
}

// reply writes a status line.
func (s *session) reply(line string) { io.WriteString(s.out, line+"\r\n") }

func (s *session) replyf(format string, args ...any) { s.reply(fmt.Sprintf(format, args...)) }

// block writes lines and the dot.
func (s *session) block(command string, write func(w *bufio.Writer)) {
	w := s.faulty(command)
	write(w)
	w.WriteString(".\r\n")
	w.Flush()
}

// lines writes a block of the lines given.
func (s *session) lines(command string, lines ...string) {
	s.block(command, func(w *bufio.Writer) {
		for _, line := range lines {
			stuff(w, []byte(line+"\r\n"))
		}
	})
}
