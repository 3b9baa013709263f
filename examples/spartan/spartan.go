// Package spartan fetches spartan URLs, as a protocol of another module. It is made of package
// transport, as the protocols of fetch are, and takes 150 lines.
//
//	C: h.dom /search 9\r\n
//	C: two words                of spartan://h.dom/search?two%20words
//	S: 2 text/gemini\r\n
//	S: # Found ...
//
// The connection is in clear, and for one request. Its end is that of the page. The protocol does
// not confirm the end, and so Confirmed is false.
package spartan

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// maxLine is the maximum length of the first line of an answer.
const maxLine = 4 << 10

// Syntax reads URLs, those of spartan among them.
var Syntax, _ = url.NewSyntax(url.Scheme{ // which fails for a scheme that is known, and no other
	Name: "spartan", Names: "a page on a Spartan server", Port: 300,
	Authority: url.Required, Query: true, Hierarchical: true,
})

// A Fetcher fetches spartan URLs. Its zero value is ready to use. Its fields must not change in
// use.
type Fetcher struct {
	Network *fetchers.Network // how servers are reached; nil means directly

	dialer transport.Dialer
}

// Fetch sends req on a connection of its own.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	res, err := f.fetch(ctx, req)
	return res, fetchers.NewError("fetch", req.URL, err) // nil if err is
}

func (f *Fetcher) fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	line, data, err := request(req.URL)
	if err != nil {
		return nil, err
	}
	conn, err := f.dialer.Dial(ctx, f.Network, req.URL.Addr())
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	res := &fetchers.Resource{URL: req.URL, Size: -1}
	if res.Reply, err = ask(conn, in, line, data); err == nil {
		err = describe(res)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	conn.Mark(res)
	if res.Kind != fetchers.Document || req.Describe {
		conn.Close()
		res.SetBody(nil)
		return res, nil
	}
	conn.Flow()
	res.Confirmed = func() bool { return false }
	res.SetBody(page{in, conn})
	return res, nil
}

// request returns the request for u: a line with its CR LF, and the decoded query of u as data. The
// line has the length of the data, so that the server does not read data as a line.
func request(u *url.URL) (line, data string, err error) {
	if u.Scheme != "spartan" || u.Host == "" {
		return "", "", &url.Error{Pos: -1, Reason: "not a spartan URL"}
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	data = url.Unescape(strings.TrimPrefix(u.Query, "?"))
	line = fmt.Sprintf("%s %s %d\r\n", u.Host, path, len(data))
	return line, data, transport.CheckLine([]byte(line))
}

// ask sends a request, and returns the first line of the answer.
func ask(conn *transport.Conn, in *bufio.Reader, line, data string) (reply fetchers.Reply, err error) {
	conn.Trace().Sent(strings.TrimSuffix(line, "\r\n"))
	if _, err = io.WriteString(conn, line+data); err != nil {
		return reply, err
	}
	conn.Await()
	answer, err := transport.ReadLine(in, maxLine)
	if err != nil {
		return reply, err
	}
	status, text, _ := strings.Cut(answer, " ")
	if len(status) != 1 || status < "2" || status > "5" {
		return reply, fmt.Errorf("%w: an answer without a status", fetchers.ErrProtocol)
	}
	return fetchers.Reply{Code: int(status[0] - '0'), Text: text}, nil
}

// describe sets the fields of res that follow from its reply.
func describe(res *fetchers.Resource) (err error) {
	refused := &fetchers.StatusError{Reply: res.Reply}
	switch text := res.Reply.Text; res.Reply.Code {
	case 2:
		res.Kind, res.MediaType = fetchers.Document, text
		return nil
	case 3: // a path on the same server
		res.Kind = fetchers.Redirect
		res.Leads = func(scheme string) bool { return scheme == "spartan" }
		if !strings.HasPrefix(text, "/") {
			return fmt.Errorf("%w: to what is no path", fetchers.ErrRedirect)
		}
		if res.Location, err = res.URL.Resolve(text); err != nil {
			err = fmt.Errorf("%w: %w", fetchers.ErrRedirect, err)
		}
		return err
	case 4: // the client is wrong, most often since there is no such page
		refused.Class = fs.ErrNotExist
	case 5:
		refused.Class = fetchers.ErrTemporary
	}
	return refused
}

// A page is the body of an answer.
type page struct {
	io.Reader
	conn *transport.Conn
}

func (p page) Close() error { return p.conn.Close() }
