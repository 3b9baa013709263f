package gemini

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches gemini URLs. The zero value is ready to use. Its fields must not change in use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	// TLS holds settings; nil means defaults. It is not modified. With RootCAs only certificates of
	// these authorities are trusted, and with InsecureSkipVerify all certificates; the Store is not
	// used in either case.
	TLS *tls.Config

	// Store remembers the certificates of servers. If nil, the Fetcher remembers them during its
	// lifetime.
	Store Store

	dialer transport.Dialer
	memory Memory
}

// Fetch fetches req on a new connection.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	res, err := f.fetch(ctx, req)
	return res, fetchers.NewError("fetch", req.URL, err) // nil if err is
}

func (f *Fetcher) fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	asked, err := request(req.URL)
	if err != nil {
		return nil, err
	}
	conn, err := f.dialer.Dial(ctx, f.Network, asked.Addr())
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	res := &fetchers.Resource{URL: req.URL, Size: -1}
	if err = conn.Secure(f.config(ctx, req), nil); err == nil {
		res.Reply, err = ask(conn, in, asked)
	}
	if err == nil {
		err = describe(res, req)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	conn.Mark(res)
	if req.Describe || res.Kind != fetchers.Document && res.Kind != fetchers.Listing {
		conn.Close()
		res.SetBody(nil)
		return res, nil
	}
	conn.Flow()
	res.SetBody(struct {
		io.Reader
		io.Closer
	}{in, conn})
	return res, nil
}

// maxURL is the maximum size of a request, and of the text of an answer, in bytes.
const maxURL = 1024

// request returns u in the form that is sent. The path is never empty, and the fragment is removed.
func request(u *url.URL) (*url.URL, error) {
	asked := *u
	asked.Fragment = ""
	if asked.Path == "" {
		asked.Path = "/"
	}
	switch {
	case u.Scheme != "gemini" || u.Host == "" || u.User != nil:
		return nil, &url.Error{Pos: -1, Reason: "not a gemini URL"}
	case len(asked.String()) > maxURL:
		return nil, &url.Error{Pos: -1, Reason: fmt.Sprintf("a gemini URL of more than %d bytes", maxURL)}
	}
	return &asked, nil
}

// ask sends the request, and returns the first line of the answer. A secret input appears neither
// in the Trace nor in an error, even if the server repeats it.
func ask(conn *transport.Conn, in *bufio.Reader, asked *url.URL) (reply fetchers.Reply, err error) {
	line, shown := asked.String()+"\r\n", asked.Redacted()
	if err := transport.CheckLine([]byte(line)); err != nil {
		return reply, err
	}
	var secret, decoded string
	if g, _ := asked.Gemini(); g.Secret {
		secret, decoded = strings.TrimPrefix(asked.Query, "?"), g.Input
	}
	conn.Conceal(secret, decoded)
	defer conn.Conceal()
	conn.Trace().Sent(shown)
	if _, err := conn.WriteAs([]byte(line), shown+"\r\n"); err != nil {
		return reply, err
	}
	conn.Await()
	answer, err := transport.ReadLine(in, conn.HeaderLimit(len("20 ")+maxURL))
	if err != nil {
		return reply, err
	}
	masked := transport.Masked(transport.Masked(answer, secret), decoded)
	conn.Trace().Got(masked)
	if reply, err = parseReply(answer); err == nil && reply.Code >= 40 {
		reply, err = parseReply(masked)
	}
	return reply, err
}
