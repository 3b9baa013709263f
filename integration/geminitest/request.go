package geminitest

import (
	"bufio"
	"crypto/x509"
	"errors"
	"io"
	neturl "net/url"
	"strings"
)

// maxRequest bounds a request. Those of more than 1024 octets are answered with 59.
const maxRequest = 2 << 10

// A Request is a request that a client has sent.
type Request struct {
	Conn        int               // number of the connection, from 1
	Octets      string            // all of it, with its line end
	Line        string            // the same without that
	Path        string            // of its URL, still escaped
	Query       string            // of its URL, still escaped and with its "?"
	Certificate *x509.Certificate // that the client has shown; nil if none
}

var errTooLong = errors.New("a request that is too long")

// read reads a request, which may arrive in pieces.
func read(conn io.Reader) (r Request, err error) {
	r.Octets, err = bufio.NewReader(io.LimitReader(conn, maxRequest)).ReadString('\n')
	switch {
	case err == io.EOF && len(r.Octets) == maxRequest:
		return r, errTooLong
	case err != nil:
		return r, err
	}
	r.Line = strings.TrimSuffix(strings.TrimSuffix(r.Octets, "\n"), "\r")
	return r, nil
}

// parse takes the URL of a request apart, and returns a refusal if it is none.
func (r *Request) parse() (refusal string) {
	u, err := neturl.Parse(r.Line)
	switch {
	case err != nil, len(r.Line) > 1024, u.Host == "", u.User != nil, strings.Contains(r.Line, "#"), !strings.HasSuffix(r.Octets, "\r\n"):
		return "59 Bad request"
	case u.Scheme != "gemini":
		return "53 No proxy"
	}
	r.Path = u.EscapedPath()
	if u.RawQuery != "" || u.ForceQuery {
		r.Query = "?" + u.RawQuery
	}
	if r.Path == "" {
		r.Path = "/"
	}
	return ""
}
