package nntptest

import (
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:1119" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// Greeting is the text after the 201 with which the server opens. For another code there
// is [Reply] to the command GREETING.
func Greeting(text string) Option {
	return func(s *Server) { s.greeting = text }
}

// Login decides which logins succeed, in place of [User]. The function is called by
// several goroutines.
func Login(check func(name, password string) bool) Option {
	return func(s *Server) { s.login = check }
}

// User lets a user log in. It may be given several times.
func User(name, password string) Option {
	return func(s *Server) { s.users[name] = password }
}

// Private wants a login (480) for these groups and for the articles in them; "*"
// is for everything.
func Private(groups ...string) Option {
	return func(s *Server) { s.private = append(s.private, groups...) }
}

// SASLOnly refuses AUTHINFO USER and PASS.
func SASLOnly() Option {
	return func(s *Server) { s.saslOnly = true }
}

// MaxConnections greets each further connection with 502, and closes it, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// Without answers 500 to these commands, such as "OVER" or "LIST COUNTS", and leaves
// them out of CAPABILITIES.
func Without(commands ...string) Option {
	return func(s *Server) {
		for _, command := range commands {
			s.without[strings.ToUpper(command)] = true
		}
	}
}

// Reply answers every command line that begins with command, which may have
// arguments as in "GROUP test.misc", with this reply and does nothing else. The
// reply is sent as it stands, with CR LF after it; the empty reply means that
// nothing is sent. If several fit the first one given is used.
func Reply(command, reply string) Option {
	return func(s *Server) { s.replies.Add(server.UpperVerb(command), reply) }
}

// ReplyFunc answers command lines that begin with command as [Reply] does, with the reply
// that the function returns, or leaves the command to other options and to the server if
// the function reports false. The function is called by several goroutines.
func ReplyFunc(command string, reply func(Request) (string, bool)) Option {
	return func(s *Server) { s.replies.AddFunc(server.UpperVerb(command), reply) }
}

// Rate limits every data block to this many octets per second.
func Rate(octetsPerSecond int) Option {
	return func(s *Server) { s.rate = octetsPerSecond }
}
