package telnettest

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:2323" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections sends an error on each further connection, and closes it, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// Login decides which logins succeed, in place of [User]. The function is called by
// several goroutines.
func Login(check func(name, password string) bool) Option {
	return func(s *Server) { s.login = check }
}

// Greeting sets the first octets of the server, in which 0xFF is doubled.
func Greeting(text string) Option { return func(s *Server) { s.greeting = text } }

// User lets a user log in. If a server has users, only they get to the shell.
func User(name, password string) Option { return func(s *Server) { s.users[name] = password } }

// Offer makes the server begin with these octets, and wait until each WILL and DO among them is
// answered.
func Offer(octets ...byte) Option { return func(s *Server) { s.offers = octets } }

// Handler serves each connection in place of the dialogue. The connection is
// closed when it returns.
func Handler(handler func(*Conn)) Option { return func(s *Server) { s.handler = handler } }
