package gophertest

import (
	"bufio"
	"io"
	"strings"
)

// maxRequest bounds a request, with the data block of a form.
const maxRequest = 64 << 10

// A Request is a request that a client has sent.
type Request struct {
	Conn     int    // number of the connection, from 1
	Octets   string // all of it, with its line end and the data block of a form
	Line     string // its first line, without the line end
	Selector string
	Words    string   // of a search
	Plus     string   // the Gopher+ string, without the data flag
	Answers  []string // the lines of a form; nil without one
	TLS      bool     // the connection is protected

	twoTabs bool // the search is empty and yet there
}

// Requests returns every request received so far, one for each of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// read reads a request, which may arrive in pieces.
func (s *Server) read(conn io.Reader) (r Request, err error) {
	in := bufio.NewReaderSize(io.LimitReader(conn, maxRequest), maxRequest)
	line, err := in.ReadString('\n')
	if err == io.EOF && line != "" && len(line) < maxRequest {
		err = nil // the end of the connection ends the line too
	}
	if err != nil {
		return r, err
	}
	r.Octets = line
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	r.Line = line
	fields := strings.Split(line, "\t")
	r.Selector, fields = fields[0], fields[1:]
	if known := s.added["/"+clean(r.Selector)]; len(fields) > 0 && (known != nil && known.search || fields[0] == "" || !strings.ContainsAny(fields[0][:1], "+!$")) {
		r.Words, fields = fields[0], fields[1:]
		r.twoTabs = r.Words == "" && len(fields) > 0 && (known == nil || !known.search)
	}
	if s.plain || len(fields) == 0 {
		return r, nil
	}
	r.Plus = fields[0]
	if len(fields) < 2 || fields[1] != "1" {
		return r, nil
	}
	r.Answers = []string{}
	for begun := false; ; begun = true {
		text, err := in.ReadString('\n')
		if err != nil {
			return r, err
		}
		r.Octets += text
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		switch {
		case begun && text == ".":
			return r, nil
		case begun:
			r.Answers = append(r.Answers, text)
		case text != "+-1":
			return r, nil // a form of data that this server does not read
		}
	}
}
