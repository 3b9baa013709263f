package gopher

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// requestLine returns the request line for g, without CR LF. RFC 1738 has two TABs before a Gopher+
// string in section 3.4.3, and one in section 3.4.9. The Gopher+ paper has the second TAB only for
// type 7, and the Minnesota servers refuse it for other types, while one TAB is right for all. An
// empty search is therefore sent only where it has a meaning.
func requestLine(g url.Gopher) string {
	line := g.Selector
	if g.SearchSet && (g.Search != "" || g.Type == '7' || !g.PlusSet) {
		line += "\t" + g.Search
	}
	if g.PlusSet {
		line += "\t" + g.Plus
	}
	return line
}

// ask connects to the server of g, sends the request, and returns the answer as soon as its
// beginning has arrived.
func (f *Fetcher) ask(ctx context.Context, g url.Gopher, named fetchers.Namer) (*answer, error) {
	line := requestLine(g)
	if err := transport.CheckLine([]byte(line + "\r\n")); err != nil {
		return nil, err
	}
	conn, err := f.dialer.Dial(ctx, f.Network, g.URL().Addr())
	if err != nil {
		return nil, err
	}
	a, err := f.talk(conn, g, line, named)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return a, nil
}

// talk sends the request on conn. The data block of a form follows the request line immediately,
// and nothing follows the block (RFC 1738, section 3.4.9). A server that does not read the block
// may answer and reset the connection, so that a write error counts only if there is no answer.
func (f *Fetcher) talk(conn *transport.Conn, g url.Gopher, line string, named fetchers.Namer) (*answer, error) {
	a := newAnswer(conn)
	if g.Secure {
		if err := conn.Secure(transport.TLSConfig(f.TLS, g.Host, named), nil); err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
	}
	a.trace.Sent(line)
	if n := strings.Count(g.Block, "\r\n"); n > 0 {
		a.trace.Sent(fmt.Sprintf("*** (%d lines of a form, which may have a password in it)", n))
	}
	shown := line + "\r\n" + strings.Repeat("***\r\n", strings.Count(g.Block, "\r\n"))
	_, unsent := conn.WriteAs([]byte(line+"\r\n"+g.Block), shown)
	conn.Await()
	// A Gopher+ server reads a string after one TAB as a Gopher+ string (RFC 1738, section 3.4.2),
	// except for type 7.
	err := a.begin(g.PlusSet || g.SearchSet && g.Type != '7')
	if err != nil && unsent != nil {
		err = unsent
	}
	return a, err
}
