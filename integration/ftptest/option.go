package ftptest

import (
	"path"
	"strings"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Greeting is the text after the 220 with which the server opens. Lines are
// separated by LF; more than one make a multi-line reply. For another code than 220 there
// is [Reply] to the command GREETING.
func Greeting(text string) Option {
	return func(s *Server) { s.greeting = text }
}

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:2121" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections greets each further control connection with 421, and closes it, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// Login decides which logins succeed, in place of [User] and [NoAnonymous]. The function
// is called by several goroutines.
func Login(check func(name, password string) bool) Option {
	return func(s *Server) { s.login = check }
}

// User lets a user log in. It may be given several times.
func User(name, password string) Option {
	return func(s *Server) { s.users[name] = password }
}

// NoAnonymous refuses the users anonymous and ftp. Without it they may log in with any password.
func NoAnonymous() Option {
	return func(s *Server) { s.noAnonymous = true }
}

// Home is the directory in which users are after login: with Home("home/joe")
// a relative "CWD etc" and an absolute "CWD /etc" differ. The default is the
// root.
func Home(dir string) Option {
	return func(s *Server) { s.home = path.Join("/", dir) }
}

// OneClient serves one control connection after the other. Each gets its greeting when the one
// before it has ended.
func OneClient() Option {
	return func(s *Server) { s.turn = make(chan struct{}, 1) }
}

// Without answers 502 to these commands and leaves them out of FEAT. Without
// SIZE the server does not tell the size in its 150 reply either.
func Without(commands ...string) Option {
	return func(s *Server) {
		for _, command := range commands {
			s.without[strings.ToUpper(command)] = true
		}
	}
}

// Reply answers every command line that begins with command, which may have
// arguments as in "CWD pub", with this reply and does nothing else; it goes
// before all that the server would do, the login included. The reply is sent as
// it stands, with CR LF after it; the empty reply means that nothing is sent.
// If several fit the first one given is used.
func Reply(command, reply string) Option {
	return func(s *Server) { s.replies.Add(upperVerb(command), reply) }
}

// ReplyFunc answers command lines that begin with command as [Reply] does, with the reply
// that the function returns, or leaves the command to other options and to the server if
// the function reports false. The function is called by several goroutines.
func ReplyFunc(command string, reply func(Request) (string, bool)) Option {
	return func(s *Server) { s.replies.AddFunc(upperVerb(command), reply) }
}
