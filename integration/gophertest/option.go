package gophertest

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:7070" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections answers each further request with an error, while n connections are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// Menu adds a menu. Each line of text is a line of the menu. Menu adds missing fields: the host and
// the port to a line that has a type with a name, a TAB and a selector only; to a line without a
// TAB, the type "i" and a place that does not exist.
func Menu(selector, text string) Option {
	return func(s *Server) { s.at(selector).menu = func(string) string { return text } }
}

// Search adds an index. answer returns the menu for the words of a search, as in [Menu].
func Search(selector string, answer func(words string) string) Option {
	return func(s *Server) {
		s.at(selector).menu = answer
		s.at(selector).search = true
	}
}

// Form adds a text that is the answer to a form. The lines of ask are those of the
// attribute ASK, such as "Ask: Your name?". The answer is given the lines that were
// sent, or nil if the form was not filled.
func Form(selector string, ask []string, answer func(lines []string) string) Option {
	return func(s *Server) {
		s.at(selector).form = answer
		Attribute(selector, "ASK", ask...)(s)
	}
}

// View adds a representation of an item. The first one is sent if a request names none. The
// language, as in "En_US", may be empty.
func View(selector, mediaType, language, content string) Option {
	return func(s *Server) {
		s.at(selector).views = append(s.at(selector).views, view{mediaType, language, content})
	}
}

// Attribute adds an attribute to an item, such as "ABSTRACT".
func Attribute(selector, name string, lines ...string) Option {
	return func(s *Server) {
		s.at(selector).blocks = append(s.at(selector).blocks, block{name, lines})
	}
}

// Reply answers a request line, without its line end, by these octets and closes. If
// several fit the first one given is used.
func Reply(line, octets string) Option {
	return ReplyFunc(line, func(Request) (string, bool) { return octets, true })
}

// ReplyFunc answers a request line as [Reply] does, with the octets that the function
// returns, or leaves the request to other options and to the server if the function
// reports false. The line "" stands for any. The function is called by several goroutines.
func ReplyFunc(line string, reply func(Request) (string, bool)) Option {
	return func(s *Server) {
		s.replies.AddFunc("", func(r Request) (string, bool) {
			if line != "" && line != r.Line {
				return "", false
			}
			return reply(r)
		})
	}
}

// NoDot sends no dot after text and menus, plain ones and those whose length is
// [ByClose].
func NoDot() Option { return func(s *Server) { s.noDot = true } }

// Plain disables Gopher+: the server ignores the text after a TAB.
func Plain() Option { return func(s *Server) { s.plain = true } }

// OneTab refuses two TABs before a Gopher+ string, but for an index.
func OneTab() Option { return func(s *Server) { s.oneTab = true } }

// A Length is the way in which answers of Gopher+ mark their end.
type Length int

const (
	Counted Length = iota // a number of octets; for menus and attributes, a dot
	ByDot                 // a dot, also after data that is no text
	ByClose               // the end of the connection
)

// Lengths chooses how answers of Gopher+ end.
func Lengths(l Length) Option { return func(s *Server) { s.length = l } }

// Stuff changes the lines of text that are sent up to a dot. They come without their
// line ends.
func Stuff(rule func(line string) string) Option { return func(s *Server) { s.stuff = rule } }

// StuffAll doubles the dot of every line that begins with one (RFC 1436).
func StuffAll(line string) string {
	if line != "" && line[0] == '.' {
		return "." + line
	}
	return line
}

// StuffDot doubles the dot of a line that is nothing else, as the server of
// Minnesota does.
func StuffDot(line string) string {
	if line == "." {
		return ".."
	}
	return line
}
