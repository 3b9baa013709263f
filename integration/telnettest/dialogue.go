package telnettest

import (
	"fmt"
	"strings"
)

// dialogue is the conversation of a Server with a client.
func (s *Server) dialogue(c *Conn) {
	if c.Print(s.greeting) != nil {
		return
	}
	for s.login != nil || len(s.users) > 0 {
		name, password, err := c.login()
		if err != nil {
			return
		}
		if s.mayLogIn(name, password) {
			break
		}
		if c.Print("\r\nLogin incorrect\r\n") != nil {
			return
		}
	}
	for {
		if c.Print("$ ") != nil {
			return
		}
		line, err := c.Line(true)
		if err != nil {
			return
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "":
		case "echo":
			err = c.Print(rest + "\r\n")
		case "term":
			err = c.Print(c.terminal + "\r\n")
		case "size":
			err = c.Print(fmt.Sprintf("%dx%d\r\n", c.width, c.height))
		case "bin":
			err = c.Print("\xff\xff\x00\r\n")
		case "exit":
			c.Print("bye\r\n")
			return
		default:
			err = c.Print(word + ": not found\r\n")
		}
		if err != nil {
			return
		}
	}
}

// mayLogIn reports whether the name and the password belong together.
func (s *Server) mayLogIn(name, password string) bool {
	if s.login != nil {
		return s.login(name, password)
	}
	want, ok := s.users[name]
	return ok && password == want
}

// login asks for a name, and for a password that is not echoed.
func (c *Conn) login() (name, password string, err error) {
	if err = c.Print("login: "); err != nil {
		return "", "", err
	}
	if name, err = c.Line(true); err != nil {
		return "", "", err
	}
	if err = c.Print("Password: "); err != nil {
		return "", "", err
	}
	password, err = c.Line(false)
	return name, password, err
}
