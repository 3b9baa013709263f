package prospero

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero/internal/ardp"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches prospero URLs. The zero value is ready to use. Its fields must not change in
// use.
type Fetcher struct {
	// Network connects to servers. It has to support "udp".
	Network *fetchers.Network

	// FirstWait is the time without an answer after which a request is repeated; it doubles with
	// each repetition. 0 means 4 seconds, as in the programs of that time.
	FirstWait time.Duration
}

// wanted are the requested attributes. With ACCESS-METHOD alone, servers do not find a file without
// stored attributes, and #ALL turns a forwarding into an attribute and a failure. Without
// UNIX-MODES, the server of 1994 describes a directory on its disk as a file.
const wanted = "ACCESS-METHOD+OBJECT-INTERPRETATION+SIZE+LAST-MODIFIED+UNIX-MODES"

// Limits for a reply that is read as a whole: attributes, or the links of a directory. Two thousand
// full packets are 2.5 MB.
const (
	maxPackets = 2000
	maxReply   = 4 << 20
)

// maxForwards limits consecutive forwardings on one server. It is the limit of the client of 1994;
// a forwarding to another server is a Redirect instead.
const maxForwards = 20

// Fetch requests the access methods of the object and uses the first supported one. The result is
// the contents, from the same server, or a Redirect.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	o, err := objectOf(req.URL)
	if err != nil {
		op := "parse"
		if errors.Is(err, fetchers.ErrNotRetrievable) {
			op = "fetch"
		}
		return nil, fetchers.NewError(op, req.URL, err)
	}
	c := &conversation{
		ctx: ctx, req: req, trace: fetchers.ContextTrace(ctx),
		client: ardp.Client{Network: f.Network, First: f.FirstWait},
	}
	res, err := c.resolve(o)
	var moved *ardp.RedirectError
	if errors.As(err, &moved) {
		c.asked.host, c.asked.port = moved.To.Addr().String(), moved.To.Port()
		res, err = c.redirect(c.asked.url())
	}
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	res.RemoteAddr = c.reply.RemoteAddr()
	return res, nil
}

// A conversation is the series of requests for one URL. Each request is self-contained.
type conversation struct {
	ctx    context.Context
	req    *fetchers.Request
	trace  fetchers.Tracer
	client ardp.Client
	asked  object      // the last requested object
	reply  *ardp.Reply // of the last request
}

// resolve follows forwardings of the object on this server, and gets it.
func (c *conversation) resolve(o object) (*fetchers.Resource, error) {
	seen := make(map[object]bool)
	for !seen[o] && len(seen) <= maxForwards {
		seen[o] = true
		_, info, err := c.read(o, o.info(wanted))
		if err != nil {
			return nil, err
		}
		to := info.forwarded
		if to == nil {
			res, moved, err := c.get(o, info)
			if err != nil || res != nil {
				return res, err
			}
			to = moved
		}
		next, ok := to.object()
		next.id = to.ID
		where := next.url()
		if !ok || where == nil {
			return nil, fmt.Errorf("%w: forwarded to %s of %s", fetchers.ErrProtocol, to.HSOName, to.Host)
		}
		c.trace.Note("forwarded to " + where.String())
		if !next.sameServer(o) {
			return c.redirect(where)
		}
		o = next
	}
	return nil, fmt.Errorf("%w: forwarded in a circle, or more than %d times", fetchers.ErrProtocol, maxForwards)
}

// get gets the object with the attributes info, or the link to its new location.
func (c *conversation) get(o object, info *report) (*fetchers.Resource, *Link, error) {
	methods := methodsOf(info.attributes)
	if len(methods) > 0 {
		c.trace.Note("access methods: " + names(methods))
	}
	if info.refused != nil && (len(methods) > 0 || !errors.Is(info.refused, fs.ErrNotExist)) {
		return nil, nil, info.refused
	}
	var refused error
	for _, m := range methods {
		res, moved, err := c.access(o, info, m)
		var status *fetchers.StatusError
		switch {
		case res != nil, moved != nil:
			return res, moved, nil
		case errors.As(err, &status): // another method may succeed
			c.trace.Note(m.name + ": " + err.Error())
			if refused == nil {
				refused = err
			}
		case err != nil:
			return nil, nil, err
		}
	}
	switch {
	case refused != nil:
		return nil, nil, refused
	case len(methods) > 0 && !isDirectory(info.attributes):
		return nil, nil, fmt.Errorf("%w: no access method that can be used, of %s", fetchers.ErrNotRetrievable, names(methods))
	}
	return c.directory(o, info)
}

// access gets the object with one method, or the link to its new location. If the method is not
// usable, it returns neither, and no error.
func (c *conversation) access(o object, info *report, m method) (*fetchers.Resource, *Link, error) {
	from := place{hostType: "INTERNET-D", host: o.host, nameType: "ASCII", name: o.name}
	if m.name == contentsMethod {
		from.port = o.port // only other Prospero servers use it
	}
	where, _ := m.url(from)
	switch {
	case where == nil:
		return nil, nil, nil
	case (m.name == "TELNET" || m.name == "TN3270") && m.extra != "":
		c.trace.Note("the server says of the service: " + m.extra)
	case m.name == contentsMethod:
		there, err := objectOf(where)
		if err != nil || !there.sameServer(o) {
			break
		}
		if there.name == o.name {
			there = o
		}
		return c.own(there, info)
	}
	res, err := c.redirect(where)
	return res, nil, err
}

// own gets an object of this server with PROSPERO-CONTENTS. Directories may have that method too:
// the server of 1994 gives it to a directory that it treats as a file, and answers NONE-FOUND to
// the request for contents.
func (c *conversation) own(o object, info *report) (*fetchers.Resource, *Link, error) {
	directory := isDirectory(info.attributes)
	if directory {
		if res, moved, err := c.directory(o, info); !isNoDirectory(err) {
			return res, moved, err
		}
	}
	res, err := c.document(o, info)
	if directory || !errors.Is(err, errNoContents) {
		return res, nil, err
	}
	if res, moved, err := c.directory(o, info); !isNoDirectory(err) {
		return res, moved, err
	}
	return nil, nil, err
}

// isNoDirectory reports whether err means that an object does not exist, or is not a directory.
func isNoDirectory(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fetchers.ErrNotRetrievable)
}

// document gets a file of this server.
func (c *conversation) document(o object, info *report) (*fetchers.Resource, error) {
	res := &fetchers.Resource{
		URL:       c.req.URL,
		Kind:      fetchers.Document,
		MediaType: mediaTypeOf(info.attributes, o.name),
		Size:      sizeOf(info.attributes),
		Validator: fetchers.Validator{ModTime: modTimeOf(info.attributes)},
	}
	when := res.Validator.ModTime
	if c.req.Range == (fetchers.Range{}) && !when.IsZero() && when.Equal(c.req.Have.ModTime) {
		res.Kind = fetchers.Unchanged
		res.SetBody(nil)
		return res, nil
	}
	if c.req.Describe {
		res.SetBody(nil)
		return res, nil
	}
	reply, err := c.ask(o, o.info("CONTENTS"), 0)
	if err != nil {
		return nil, err
	}
	body := &contents{reply: reply, lines: newLexer(reply), got: c.trace.Got, size: res.Size}
	if err := body.open(); err != nil {
		body.Close()
		return nil, err
	}
	c.trace.Got("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA …")
	res.Size = body.size
	res.SetBody(body)
	return res, nil
}

// directory lists the object, which has no access method, or finds that it does not exist.
func (c *conversation) directory(o object, info *report) (*fetchers.Resource, *Link, error) {
	reply, list, err := c.read(o, o.list())
	switch {
	case err != nil:
		return nil, nil, err
	case list.forwarded != nil:
		return nil, list.forwarded, nil
	case list.refused == nil, list.links > 0:
	case !errors.Is(list.refused, fs.ErrNotExist):
		return nil, nil, list.refused
	case info.refused != nil:
		return nil, nil, info.refused // not found, which is more specific than "not a directory"
	case len(info.attributes) > 0:
		return nil, nil, fmt.Errorf("%w: it has no access method, and is not a directory", fetchers.ErrNotRetrievable)
	default:
		return nil, nil, list.refused
	}
	res := &fetchers.Resource{URL: c.req.URL, Kind: fetchers.Listing, MediaType: "text/prospero-links", Size: -1, Parse: parse}
	if c.req.Describe {
		res.SetBody(nil)
		return res, nil, nil
	}
	res.SetBody(text{bytes.NewReader(reply), list.refused})
	return res, nil, nil
}

// redirect returns a Redirect to where.
func (c *conversation) redirect(where *url.URL) (*fetchers.Resource, error) {
	if where == nil {
		return nil, fmt.Errorf("%w: redirected to a malformed URL", fetchers.ErrProtocol)
	}
	res := &fetchers.Resource{URL: c.req.URL, Kind: fetchers.Redirect, Location: where, Leads: leads, Size: -1}
	res.SetBody(nil)
	return res, nil
}

// leads reports whether a redirection may lead to a scheme, besides those that are open to all: the
// schemes of the access methods, and prospero.
func leads(scheme string) bool {
	switch scheme {
	case "prospero", "gopher", "wais", "news", "telnet", "tn3270":
		return true
	}
	return false
}

// read sends lines and reads the whole reply.
func (c *conversation) read(o object, lines []string) ([]byte, *report, error) {
	reply, err := c.ask(o, lines, maxPackets)
	if err != nil {
		return nil, nil, err
	}
	defer reply.Close()
	message, err := io.ReadAll(io.LimitReader(reply, maxReply+1))
	if err != nil {
		return nil, nil, err
	}
	if len(message) > maxReply {
		return nil, nil, fmt.Errorf("%w: a reply of more than %d bytes", fetchers.ErrProtocol, maxReply)
	}
	for line := range strings.Lines(string(message)) {
		c.trace.Got(strings.TrimSuffix(line, "\n"))
	}
	rep, err := readReport(bytes.NewReader(message))
	switch {
	case err != nil:
	case errors.Is(rep.refused, fetchers.ErrProtocol):
		err = rep.refused
	case !rep.answered:
		err = fmt.Errorf("%w: the reply has no answer", fetchers.ErrProtocol)
	}
	return message, rep, err
}

// ask sends lines to the server of o.
func (c *conversation) ask(o object, lines []string, packets int) (io.ReadCloser, error) {
	c.asked = o
	message := request(lines)
	reply, err := c.client.Send(c.ctx, o.addr(), message, packets)
	if err != nil {
		return nil, err
	}
	c.reply = reply
	told := c.trace.Tap("udp", o.addr())
	if told != nil {
		told.Sent(message)
	}
	for line := range strings.Lines(string(message)) {
		c.trace.Sent(strings.TrimSuffix(line, "\n"))
	}
	if told != nil {
		return tapped{reply, told}, nil
	}
	return reply, nil
}

// A tapped is a reply whose bytes a Trace receives.
type tapped struct {
	io.ReadCloser
	told *fetchers.Tap
}

func (t tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.told.Got(p[:n])
	if err != nil {
		t.told.Ended(err)
	}
	return n, err
}
