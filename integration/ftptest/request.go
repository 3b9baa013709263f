package ftptest

import (
	"net"
	"strings"
)

// A Request is a command that a client has sent.
type Request struct {
	Conn    int    // number of the control connection, from 1
	Line    string // as it was sent, without its line end
	Command string // in upper case
	Arg     string // as it was sent
	TLS     bool   // the control connection is protected

	// These are empty until the server runs the command, which it does after the
	// transfer before it.

	User string // user of the login
	Path string // file or directory, as a name of the fs.FS; empty if the command has none
}

// Requests returns every command received so far, one for each line of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// request returns the Request of a line, without its result.
func (s *session) request(line string, conn net.Conn) Request {
	verb, arg, _ := strings.Cut(upperVerb(line), " ")
	return Request{Conn: s.number, Line: line, Command: verb, Arg: arg, TLS: conn != net.Conn(s.tcp)}
}

// named are the commands whose argument is a path, and those that mean the working
// directory without one.
var named = map[string]bool{
	"RETR": false, "SIZE": false, "MDTM": false, "CWD": false,
	"STOR": false, "APPE": false, "DELE": false, "MKD": false, "RMD": false, "RNFR": false, "RNTO": false,
	"LIST": true, "NLST": true, "MLSD": true, "MLST": true,
}

// pathOf returns the path that a command is about, or "".
func (s *session) pathOf(verb, arg string) string {
	if verb == "LIST" {
		arg = withoutFlags(arg)
	}
	switch directory, ok := named[verb]; {
	case verb == "CDUP":
		return s.resolve("..")
	case !ok || arg == "" && !directory:
		return ""
	}
	return s.resolve(arg)
}
