package webtest

import (
	"net/http"
	"strings"
)

// A Request is the head of a request that a client has sent.
type Request struct {
	Conn   int    // number of the connection, from 1
	Method string // GET
	Target string // "/pub/hello.txt"
	Proto  string // HTTP/1.1
	Host   string
	Header http.Header // the other fields; not to be changed
	TLS    bool        // the connection is protected
}

// Requests returns every request received so far, one for each of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// head returns a request in the form of the transcript.
func (r Request) head() string {
	var head strings.Builder
	head.WriteString(r.Method + " " + r.Target + " " + r.Proto + "\r\nHost: " + r.Host + "\r\n")
	r.Header.Write(&head)
	return head.String()
}
