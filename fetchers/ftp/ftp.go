package ftp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/textproto"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches ftp and ftps URLs. Its zero value is ready to use. Its fields must not change
// while in use.
type Fetcher struct {
	// Network makes the connections to servers. Its DialData opens data connections.
	Network *fetchers.Network

	// Mail is the password of anonymous logins, by convention a mail address. If empty, a
	// placeholder is used, so that no address is revealed.
	Mail string

	// AuthTLS decides whether the connections of ftp URLs use TLS.
	AuthTLS TLSPolicy

	// TLS is the TLS configuration; nil means the defaults. It is not changed. Its
	// ClientSessionCache is ignored.
	TLS *tls.Config

	// Active makes the server open data connections, which few networks allow. If Network.Dial
	// returns no *net.TCPConn, as through a proxy, the client opens them regardless.
	Active bool

	// NoEPSV uses PASV only, and NoEPRT uses PORT only, for servers and firewalls that require it.
	// For IPv6 they have no effect, since PASV and PORT do not support it.
	NoEPSV, NoEPRT bool

	// Method is the way to change to a directory.
	Method Method

	// NoReuse closes each control connection after a single fetch. Otherwise some are kept for a
	// while, until CloseIdle, and used again for the same server and user.
	NoReuse bool

	pool    transport.Pool[key, *session]
	habits  habits
	between time.Duration // replaces the constant between, unless 0
}

// A Method is a way to change to the directory of a URL.
type Method uint8

const (
	MultiCWD  Method = iota // a CWD for each element of the path, as in RFC 1738
	SingleCWD               // a single CWD, for servers whose paths have slashes
	NoCWD                   // the whole path is the name of the file; a directory still takes a CWD
)

// Fetch fetches req over a control connection, which may have been kept by an earlier fetch.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.FTP()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	e := errand{req: req, what: what}
	e.dirs, e.name = f.way(what)
	who, _ := f.credential(req)
	return f.pool.Fetch(ctx, &transport.Errand[key, *session]{
		Request: req,
		Key:     keyOf(req, who),
		Terms:   transport.Terms{Network: f.Network, Host: req.URL.Addr(), Never: f.NoReuse},
		Cost:    func(s *session) (int, bool) { return s.way(e.dirs) },
		Open:    func(ctx context.Context) (*session, error) { return f.open(ctx, e) },
		Talk: func(l *lease) (*fetchers.Resource, error) {
			s := l.Session
			s.lease, s.regular = l, s.regular || l.Kept()
			return s.fetch(e)
		},
		Judge: judge,
	})
}

// way returns the arguments of CWD, and that of RETR or NLST.
func (f *Fetcher) way(what url.FTP) (dirs []string, name string) {
	switch {
	case f.Method == MultiCWD, len(what.CWD) == 0:
		return what.CWD, what.Name
	case f.Method == SingleCWD, what.Name == "":
		return []string{strings.Join(what.CWD, "/")}, what.Name
	}
	return nil, strings.Join(append(what.CWD, what.Name), "/")
}

// fetch changes to the directory and requests the resource there.
func (s *session) fetch(e errand) (res *fetchers.Resource, err error) {
	s.plan(e)
	if err := s.spell(e); err != nil {
		return nil, err
	}
	if err := s.travel(e.dirs); err != nil {
		return nil, err
	}
	req, what, name := e.req, e.what, e.name
	switch {
	case what.Type == url.Directory:
		return s.names(req, what, name)
	case what.Name == "":
		return s.directory(req, what)
	}
	for _, spelled := range spellings(name) {
		if res, err = s.document(req, what, spelled); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return res, err
}

// document fetches a file, or finds that its name is that of a directory.
func (s *session) document(req *fetchers.Request, what url.FTP, name string) (*fetchers.Resource, error) {
	if err := s.setType(what.Type == url.ASCII); err != nil {
		return nil, err
	}
	res := &fetchers.Resource{
		URL:       req.URL,
		Kind:      fetchers.Document,
		MediaType: fetchers.TypeByName(what.Name),
		Size:      -1,
	}
	exists, missing := false, false
	if e, ok := s.facts(req, name); ok {
		res.Size, res.Validator.ModTime, exists = e.Size, e.ModTime, true
	} else {
		if !s.ascii {
			// In TYPE A, depending on the server, SIZE is the size on disk or that on the wire.
			res.Size, exists = s.size(name)
			missing = !exists && classOf(s.ctl.last) == fs.ErrNotExist
		}
		if wantsTime(req) || res.Size > small {
			res.Validator.ModTime = s.modTime(name)
		}
	}
	if exists && req.Range == (fetchers.Range{}) && req.Header.Get("Want-Repr-Digest") != "" {
		res.Header = s.digest(name)
	}
	if !s.alive() {
		return nil, s.ctl.broken
	}

	unchanged := !res.Validator.ModTime.IsZero() && req.Have.ModTime.Equal(res.Validator.ModTime)
	switch {
	case req.Range == fetchers.Range{} && unchanged:
		res.Kind = fetchers.Unchanged
		return s.done(res), nil
	case req.Describe && exists:
		return s.done(res), nil
	case req.Range == fetchers.Range{}, res.Size < 0, !req.Have.IsZero() && !unchanged:
		// For a file of unknown size REST is not reliable, and a range of another version is not
		// wanted.
	default:
		var err error
		if res.Range, err = req.Range.In(res.Size); err != nil {
			return nil, err
		}
		beyond := res.Size - res.Range.Offset - res.Range.Length
		if res.Range.Offset > 0 && beyond > maxBeyond && !s.ctl.features["RANG"] {
			s.ctl.trace.Note("a range so far from the end cannot be verified, so the whole file is fetched")
			res.Range = fetchers.Range{}
		}
	}
	if err := req.CheckSize(res); err != nil {
		return nil, err
	}

	t, err := s.retrieve("RETR "+name, s.stretch(req.Range, res))
	if err != nil && s.refused() && (s.ctl.verb == "REST" || s.ctl.verb == "RANG") {
		s.ctl.trace.Note("the server refuses an offset, so the whole file is fetched")
		res.Range = fetchers.Range{}
		t, err = s.retrieve("RETR "+name, fetchers.Range{})
	}
	if err != nil {
		// Some servers keep the offset for the next RETR.
		s.lost = s.lost || res.Range.Offset > 0
		if s.refused() && s.ctl.verb == "RETR" && s.cwd(name) == nil {
			what.CWD, what.Name = append(what.CWD, what.Name), ""
			res.Kind, res.Location, res.Size = fetchers.Redirect, what.URL(), -1
			return s.done(res), nil
		}
		if exists && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %v", fs.ErrPermission, err) // SIZE has found the file
		}
		return nil, err
	}
	if req.Describe {
		t.Close()
		res.Reply = s.ctl.last
		res.SetBody(nil)
		return res, nil
	}
	t.expect(res)
	if t.exact {
		res.Header = textproto.MIMEHeader{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", res.Range.Offset, res.Range.Offset+res.Range.Length-1, res.Size)}}
	}
	var body io.ReadCloser = t
	switch {
	case s.ascii:
		t.doubts(name, false)
		body = newLineEnds(t)
	case res.Size == 0:
		if body, err = t.begun(res); err != nil {
			return nil, err
		}
	default:
		t.hint = announce(s.ctl.last.Text)
		if res.Size < 0 {
			t.doubts(name, missing)
		}
	}
	part := req.Range
	if part.Length == fetchers.ToEnd {
		part.Length = 0
	}
	if res.Size < 0 && part.Offset >= 0 && part != (fetchers.Range{}) && req.Have.IsZero() {
		res.Range = part
		if body, err = t.part(body, part); err != nil {
			return nil, err
		}
	}
	res.SetBody(body)
	return res, nil
}
