package ftptest

import (
	"bytes"
	"io"
)

// A Stumble is the reaction of a server that takes one command at a time to several commands at
// once.
type Stumble int

const (
	DropRest   Stumble = iota + 1 // answer the first, and drop the others
	HangUp                        // answer the first, and close the connection
	OneLine                       // take them for one command, which is unknown
	Refuse                        // close the connection before any reply
	ClosedPort                    // answer all, but EPSV with a port that is closed
)

// Stumbles makes the server one that takes one command at a time.
func Stumbles(how Stumble) Option {
	return func(s *Server) { s.stumble = how }
}

// Flights returns how many times commands arrived on a control connection. Commands that a client
// sends in one write arrive at once, and count once. Each costs the client a round trip. Two more
// pass before the first: one to connect, one for the greeting. TLS has its own. The data connection
// of a transfer costs one.
func (s *Server) Flights() int { return int(s.flights.Load()) }

// These stand for the commands that a server does not take; no real line ends in CR.
const (
	hangUp  = "\r"    // the connection ends
	several = "x\r"   // a command that is unknown
	closed  = "EPS\r" // EPSV, which gets a closed port
)

// flights returns r as a reader that counts flights, and drops commands as the Stumble of the server does.
func (s *session) flights(r io.Reader) io.Reader { return &flights{s.server, r} }

type flights struct {
	server *Server
	r      io.Reader
}

func (f *flights) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if n > 0 {
		f.server.flights.Add(1)
	}
	first := bytes.IndexByte(p[:n], '\n') + 1
	if first == 0 || first == n {
		return n, err
	}
	switch f.server.stumble {
	case DropRest:
		return first, err
	case HangUp:
		return first + copy(p[first:], hangUp+"\r\n"), err
	case Refuse:
		return copy(p, hangUp+"\r\n"), err
	case ClosedPort:
		copy(p[first:n], bytes.ReplaceAll(p[first:n], []byte("EPSV\r\n"), []byte(closed+"\r\n")))
	case OneLine:
		return copy(p, several+"\r\n"), err
	}
	return n, err
}
