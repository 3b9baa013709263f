package waistest

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Command is the kind of a request.
type Command int

// The commands.
const (
	Init Command = iota + 1
	Search
	Retrieve
)

var commands = []string{Init: "Init", Search: "Search", Retrieve: "Retrieve"}

// String returns the name of the command, such as "Search".
func (c Command) String() string { return server.Name("Command", commands, int(c)) }

// A Request is a request that a client has sent.
type Request struct {
	Conn    int // number of the connection, from 1
	Command Command

	Size       int64  // of Init: how long answers may be, in octets
	Database   string // of Search and Retrieve
	Words      string // of Search
	Like       int    // of Search: documents of relevance feedback
	Limit      int64  // of Search: hits
	Type       string // of Retrieve: type of the document
	Start, End int64  // of Retrieve: octets
}

// String returns the request in the form of the transcript.
func (r Request) String() string {
	switch r.Command {
	case Init:
		return fmt.Sprintf("Init %d", r.Size)
	case Search:
		if r.Like > 0 {
			return fmt.Sprintf("Search %q %q like %d %d", r.Database, r.Words, r.Like, r.Limit)
		}
		return fmt.Sprintf("Search %q %q %d", r.Database, r.Words, r.Limit)
	}
	return fmt.Sprintf("%v %q %s %d-%d", r.Command, r.Database, r.Type, r.Start, r.End)
}

// Requests returns every request received so far, one for each line of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// record puts a request into the transcript.
func (c *session) record(r Request) {
	r.Conn = c.number
	c.server.requests.Add(r)
}
