package nntp

import (
	"fmt"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A target is a parsed URL, with the server to connect to.
type target struct {
	url.News
	chosen bool // the server is Fetcher.Server and not that of the URL
}

// targetOf parses a URL. If its name does not fit in one command line, the result is an error.
func (f *Fetcher) targetOf(u *url.URL) (target, error) {
	n, err := u.News()
	if err == nil {
		err = check(n)
	}
	if err != nil {
		return target{}, fetchers.NewError("parse", u, err)
	}
	what := target{News: n}
	if n.Host == "" {
		what.chosen = true
		if what.Host, what.Port, err = f.server(); err != nil {
			return target{}, fetchers.NewError("fetch", u, err)
		}
	}
	return what, nil
}

// maxCommand is the longest command line, with its line end (RFC 3977, section 3.1).
const maxCommand = 512

// check checks the longest command that n may lead to.
func check(n url.News) error {
	line := "ARTICLE <" + n.MessageID + ">\r\n"
	if n.MessageID == "" {
		line = "LIST NEWSGROUPS " + n.Group + n.Wildmat + "\r\n"
	}
	if err := transport.CheckLine([]byte(line)); err != nil {
		return &url.Error{Pos: -1, Reason: err.Error()}
	}
	if len(line) > maxCommand {
		return &url.Error{Pos: -1, Reason: fmt.Sprintf("a name of %d bytes, which is too long for a command", len(n.MessageID+n.Group+n.Wildmat))}
	}
	return nil
}

// server returns the host and port of f.Server; a port of 0 means the default.
func (f *Fetcher) server() (host string, port uint16, err error) {
	if f.Server == "" {
		return "", 0, fmt.Errorf("%w: the URL names no server, and no news server is set", fetchers.ErrNotRetrievable)
	}
	u, err := url.Parse("nntp://" + f.Server)
	if err != nil || u.Path != "" || u.User != nil || u.Fragment != "" {
		return "", 0, fmt.Errorf("%w: the news server %q is not host or host:port", fetchers.ErrNotRetrievable, url.Redact(f.Server))
	}
	return u.Host, u.Port, nil
}

// addr returns the host:port to connect to.
func (t target) addr() string {
	port := t.Port
	switch {
	case port != 0:
	case t.Secure:
		port = url.DefaultPort("nntps")
	default:
		port = url.DefaultPort("nntp")
	}
	return net.JoinHostPort(t.Host, fmt.Sprint(port))
}

// article returns the URL of an article by its message-id from a server, or nil if that is
// malformed. It contains a server if the URL of t does.
func (t target) article(id string) *url.URL {
	if len(id) < 2 || id[0] != '<' || id[len(id)-1] != '>' {
		return nil
	}
	n := url.News{Authority: t.Authority, Secure: t.Secure, MessageID: id[1 : len(id)-1]}
	if t.chosen {
		n.Authority = url.Authority{}
	}
	u := n.URL()
	if again, err := u.News(); err != nil || again.MessageID != n.MessageID {
		return nil
	}
	return u
}

// maxNumber is the greatest article number, which has 16 digits (RFC 3977, section 6).
const maxNumber = 1e16 - 1

// number returns the URL of an article by its number in the group of t, or nil if the number is
// invalid.
func (t target) number(n uint64) *url.URL {
	if n == 0 || n > maxNumber {
		return nil
	}
	return url.News{Authority: t.Authority, NNTP: true, Secure: t.Secure, Group: t.Group, First: n, Last: n}.URL()
}

// group returns the URL of a group whose name is from a server, or nil if the name is malformed. It
// contains a server if the URL of t does.
func (t target) group(name string) *url.URL {
	n := url.News{Authority: t.Authority, Secure: t.Secure, Group: name}
	if t.chosen {
		n.Authority = url.Authority{}
	}
	u := n.URL()
	if again, err := u.News(); err != nil || again.Group != name {
		return nil
	}
	return u
}
