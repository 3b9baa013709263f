package gophertest

import (
	"bufio"
	"io"
	"strings"
)

// maxRequest bounds a request, with the data block of a form.
const maxRequest = 64 << 10

// A request is what a client asks.
type request struct {
	selector string
	words    string
	plus     string   // the Gopher+ string, without the data flag
	twoTabs  bool     // the search is empty and yet there
	answers  []string // of a form; nil without one
}

// read reads a request, which may arrive in pieces. Its octets are in whole.
func (s *Server) read(conn io.Reader) (r request, line, whole string, err error) {
	in := bufio.NewReaderSize(io.LimitReader(conn, maxRequest), maxRequest)
	line, err = in.ReadString('\n')
	if err == io.EOF && line != "" && len(line) < maxRequest {
		err = nil // the end of what the client sends ends its line too
	}
	if err != nil {
		return r, "", "", err
	}
	whole = line
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	fields := strings.Split(line, "\t")
	r.selector, fields = fields[0], fields[1:]
	if known := s.added["/"+clean(r.selector)]; len(fields) > 0 && (known != nil && known.search || fields[0] == "" || !strings.ContainsAny(fields[0][:1], "+!$")) {
		r.words, fields = fields[0], fields[1:]
		r.twoTabs = r.words == "" && len(fields) > 0 && (known == nil || !known.search)
	}
	if s.plain || len(fields) == 0 {
		return r, line, whole, nil
	}
	r.plus = fields[0]
	if len(fields) < 2 || fields[1] != "1" {
		return r, line, whole, nil
	}
	r.answers = []string{}
	for begun := false; ; begun = true {
		text, err := in.ReadString('\n')
		if err != nil {
			return r, line, whole, err
		}
		whole += text
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		switch {
		case begun && text == ".":
			return r, line, whole, nil
		case begun:
			r.answers = append(r.answers, text)
		case text != "+-1":
			return r, line, whole, nil // a form of data that this server does not read
		}
	}
}
