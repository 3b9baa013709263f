package nntptest

import (
	"strconv"
	"strings"
)

// A Request is a command that a client has sent.
type Request struct {
	Conn    int      // number of the connection, from 1
	Line    string   // as it was sent, without its line end
	Command string   // in upper case
	Args    []string // as they were sent
	TLS     bool     // the connection is protected
	User    string   // user of the login

	// Path is the group or the article of the command, as a name of the fs.FS: "test.misc" is a
	// group, and "test.misc/1" an article, also if the request has its message-id. Path is empty
	// for other commands, and for articles that do not exist.
	Path string
}

// Requests returns every command received so far, one for each line of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

func (s *session) requestOf(line string, fields []string) Request {
	r := Request{Conn: s.number, Line: line, TLS: s.isSecure()}
	if s.loggedIn {
		r.User = s.user
	}
	if len(fields) > 0 {
		r.Command, r.Args = fields[0], fields[1:]
		r.Path = s.pathOf(r.Command, r.Args)
	}
	return r
}

// pathOf returns the Path of a command for a [Request].
func (s *session) pathOf(verb string, args []string) string {
	switch verb {
	case "GROUP", "LISTGROUP":
		if len(args) > 0 {
			return args[0]
		}
		return s.groupName()
	case "OVER", "XOVER":
		return s.among(args)
	case "HDR", "XHDR":
		return s.among(args[min(1, len(args)):])
	case "NEXT", "LAST":
		return s.groupName()
	case "ARTICLE", "HEAD", "BODY", "STAT":
		return s.articlePath(args)
	}
	return ""
}

// among returns the group, or one article of it.
func (s *session) among(args []string) string {
	if len(args) == 0 || strings.HasPrefix(args[0], "<") {
		return s.articlePath(args)
	}
	return s.groupName()
}

func (s *session) groupName() string {
	if s.group == nil {
		return ""
	}
	return s.group.name
}

func (s *session) articlePath(args []string) string {
	if len(args) > 0 && strings.HasPrefix(args[0], "<") {
		if a := s.server.store.byID[args[0]]; a != nil {
			return a.file
		}
		return ""
	}
	if s.group == nil {
		return ""
	}
	i := s.current
	if len(args) > 0 {
		n, err := strconv.ParseUint(args[0], 10, 64)
		if i = s.group.find(n); err != nil || i < len(s.group.articles) && s.group.articles[i].number != n {
			return ""
		}
	}
	if i >= len(s.group.articles) {
		return ""
	}
	return s.group.articles[i].file
}
