package ftp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches ftp URLs. Its zero value is ready to use.
type Fetcher struct {
	// Network is how servers are reached, data connections included.
	Network *fetchers.Network

	// Mail is the password of anonymous users, by custom their mail address.
	// If empty, a placeholder is used, so that no address is given away.
	Mail string
}

// Fetch fetches req on a control connection of its own.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	what, err := req.URL.FTP()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	s, err := f.open(ctx, req)
	if err != nil {
		return nil, err
	}
	res, err := s.fetch(req, what)
	if err != nil {
		s.drop()
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	return res, nil
}

// fetch goes to the directory and gets what is asked for there.
func (s *session) fetch(req *fetchers.Request, what url.FTP) (*fetchers.Resource, error) {
	for i, dir := range what.CWD {
		if err := s.cwd(dir, i == 0); err != nil {
			return nil, fmt.Errorf("directory %q: %w", dir, err)
		}
	}
	switch {
	case what.Type == url.Directory:
		return s.names(req, what)
	case what.Name == "":
		return s.directory(req, what)
	}
	return s.document(req, what)
}

// document gets a file, or finds that its name is that of a directory.
func (s *session) document(req *fetchers.Request, what url.FTP) (*fetchers.Resource, error) {
	res := &fetchers.Resource{
		URL:       req.URL,
		Kind:      fetchers.Document,
		MediaType: fetchers.TypeByName(what.Name),
		Size:      -1,
	}
	exists := false
	if what.Type == url.ASCII {
		if err := s.typeA(); err != nil {
			return nil, err
		}
	} else {
		// In TYPE A a size may be that on disk or that on the wire, by server.
		res.Size, exists = s.size(what.Name)
	}
	res.Validator.ModTime = s.modTime(what.Name)

	unchanged := !res.Validator.ModTime.IsZero() && req.Have.ModTime.Equal(res.Validator.ModTime)
	switch {
	case req.Range == fetchers.Range{} && unchanged:
		res.Kind = fetchers.Unchanged
		return s.done(res), nil
	case req.Describe && exists:
		return s.done(res), nil
	case req.Range == fetchers.Range{}, res.Size < 0, !req.Have.IsZero() && !unchanged:
		// a part of a file of unknown size, or of another file, proves nothing
	default:
		var err error
		if res.Range, err = req.Range.In(res.Size); err != nil {
			return nil, err
		}
	}

	t, err := s.retrieve("RETR "+what.Name, res.Range.Offset)
	if err != nil && res.Range.Offset > 0 && s.refused() {
		s.ctl.trace.Note("no restart at an offset, so the whole file is fetched")
		res.Range = fetchers.Range{}
		t, err = s.retrieve("RETR "+what.Name, 0)
	}
	if err != nil {
		if s.refused() && s.cwd(what.Name, false) == nil {
			what.CWD, what.Name = append(what.CWD, what.Name), ""
			res.Kind, res.Location, res.Size = fetchers.Redirect, what.URL(), -1
			return s.done(res), nil
		}
		if exists && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %v", fs.ErrPermission, err) // SIZE has seen it
		}
		return nil, err
	}
	if req.Describe {
		s.drop()
		return s.done(res), nil
	}
	t.expect(res)
	if what.Type == url.ASCII {
		res.SetBody(newLineEnds(t))
	} else {
		res.SetBody(t)
	}
	return res, nil
}

// directory lists the working directory, with sizes and dates if it can.
func (s *session) directory(req *fetchers.Request, what url.FTP) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, Size: -1}
	if req.Describe {
		return s.done(res), nil
	}
	if err := s.typeA(); err != nil {
		return nil, err
	}
	what.Type = 0
	var t *transfer
	err := errors.New("no MLSD")
	if s.ctl.features["MLST"] { // RFC 3659, section 7.8: it stands for MLSD too
		res.MediaType, res.Parse = "text/ftp-mlsd", parser(what, parseFacts)
		t, err = s.retrieve("MLSD", 0)
	}
	if err != nil && s.alive() {
		res.MediaType, res.Parse = "text/ftp-list", parser(what, parseLs)
		t, err = s.retrieve("LIST", 0)
	}
	if err != nil {
		return nil, err
	}
	t.expect(res)
	res.SetBody(t)
	return res, nil
}

// names lists the names that NLST gives for the URL's name (RFC 1738, section
// 3.2.2).
func (s *session) names(req *fetchers.Request, what url.FTP) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, Size: -1, MediaType: "text/ftp-nlst"}
	if req.Describe {
		return s.done(res), nil
	}
	if err := s.typeA(); err != nil {
		return nil, err
	}
	command := "NLST"
	if what.Name != "" {
		command += " " + what.Name
	}
	t, err := s.retrieve(command, 0)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if what.Name != "" {
		// Most servers repeat the argument before each name, some do not.
		prefix = what.Name + "/"
		what.CWD = append(what.CWD, what.Name)
	}
	what.Name, what.Type = "", 0
	res.Parse = parser(what, parseName(prefix))
	t.expect(res)
	res.SetBody(t)
	return res, nil
}
