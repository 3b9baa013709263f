package finger

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches finger URLs. The zero value is ready to use. Its fields must not change in use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	dialer transport.Dialer
}

// Fetch fetches req on a new connection.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	line, err := requestLine(req.URL)
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	answer, err := f.ask(ctx, req.URL.Addr(), line)
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: "text/plain", Size: -1}
	answer.conn.Mark(res)
	res.Confirmed = func() bool { return false }
	if req.Describe {
		answer.Close()
		res.SetBody(nil)
	} else {
		res.SetBody(answer)
	}
	return res, nil
}

// requestLine returns the request line for u, with CR LF.
func requestLine(u *url.URL) (string, error) {
	line := url.Unescape(strings.TrimPrefix(u.Path, "/")) + "\r\n"
	switch {
	case u.Scheme != "finger":
		return "", &url.Error{Pos: -1, Reason: "not a finger URL"}
	case transport.CheckLine([]byte(line)) != nil:
		return "", &url.Error{Pos: -1, Reason: "CR, LF or NUL in the request"}
	case strings.Contains(line, "@"):
		return "", fmt.Errorf(`%w: with "@" the server would ask another one`, fetchers.ErrBlocked)
	}
	return line, nil
}

// ask connects to the server, sends the request, and returns the answer as soon as its beginning
// has arrived.
func (f *Fetcher) ask(ctx context.Context, addr, line string) (*answer, error) {
	conn, err := f.dialer.Dial(ctx, f.Network, addr)
	if err != nil {
		return nil, err
	}
	conn.Trace().Sent(strings.TrimSuffix(line, "\r\n"))
	in := bufio.NewReader(conn)
	if _, err = io.WriteString(conn, line); err == nil {
		_, err = in.Peek(1)
	}
	if err != nil && err != io.EOF { // the answer may be empty
		conn.Close()
		return nil, err
	}
	conn.Flow()
	return &answer{in, conn}, nil
}

// An answer is the response of the server.
type answer struct {
	io.Reader
	conn *transport.Conn
}

// Close closes the connection.
func (a *answer) Close() error { return a.conn.Close() }
