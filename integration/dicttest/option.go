package dicttest

import (
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:2628" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections greets each further connection with 420, and closes it, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// User lets a user log in by AUTH, which the banner then offers.
func User(name, password string) Option {
	return func(s *Server) { s.users[name] = password }
}

// Private hides these databases from users without a login.
func Private(databases ...string) Option {
	return func(s *Server) {
		for _, name := range databases {
			s.private[name] = true
		}
	}
}

// Without answers 502 to these commands, such as "MATCH".
func Without(commands ...string) Option {
	return func(s *Server) {
		for _, command := range commands {
			s.without[strings.ToUpper(command)] = true
		}
	}
}

// Reply answers every command line that begins with command, which may have arguments as in `DEFINE
// wn "sun"`, with this reply and does nothing else. The command BANNER stands for the begin of a
// connection. If several fit the first one given is used.
func Reply(command, reply string) Option {
	return func(s *Server) { s.replies.Add(server.UpperVerb(command), reply) }
}

// ReplyFunc answers command lines that begin with command as [Reply] does, with the reply
// that the function returns, or leaves the command to other options and to the server if
// the function reports false. The function is called by several goroutines.
func ReplyFunc(command string, reply func(Request) (string, bool)) Option {
	return func(s *Server) { s.replies.AddFunc(server.UpperVerb(command), reply) }
}
