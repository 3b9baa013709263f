package z3950test

import (
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// A Command is the kind of a request.
type Command int

// The commands.
const (
	Init Command = iota + 1
	Search
	Present
	Close
)

var commands = []string{Init: "Init", Search: "Search", Present: "Present", Close: "Close"}

// String returns the name of the command, such as "Search".
func (c Command) String() string { return server.Name("Command", commands, int(c)) }

// A Request is a request that a client has sent.
type Request struct {
	Conn    int // number of the connection, from 1
	Command Command

	User, Password string      // of Init
	Databases      []string    // of Search
	Query          z3950.Query // of Search
	Start, Count   int64       // of Present
	Syntax         string      // of Present: an object identifier
	ElementSet     string      // of Present
}

// String returns the request in the form of the transcript, without the password.
func (r Request) String() string {
	words := []string{r.Command.String()}
	switch r.Command {
	case Init:
		words = append(words, r.User)
	case Search:
		words = append(words, fmt.Sprintf("%q", strings.Join(r.Databases, "+")))
		for _, o := range r.Query {
			for _, a := range o.Attributes {
				words = append(words, fmt.Sprintf("%d=%d", a.Type, a.Value))
			}
			words = append(words, fmt.Sprintf("%q", o.Term))
		}
	case Present:
		words = append(words, fmt.Sprintf("%d+%d", r.Start, r.Count), r.Syntax, r.ElementSet)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// Requests returns every request received so far, one for each line of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// record puts a request into the transcript.
func (c *session) record(r Request) {
	r.Conn = c.number
	c.server.requests.Add(r)
}
