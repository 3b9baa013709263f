package ftp

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// directory lists the working directory, with sizes and dates if possible.
func (s *session) directory(req *fetchers.Request, what url.FTP) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, Size: -1}
	if req.Describe {
		return s.done(res), nil
	}
	if err := s.setType(true); err != nil {
		return nil, err
	}
	what.Type = 0
	var t *transfer
	var err error
	for _, way := range []struct {
		command, mediaType string
		parse              lineParser
	}{
		{"MLSD", "text/ftp-mlsd", parseFacts},
		{"LIST", "text/ftp-list", newLineParser(time.Now())},
		{"NLST", "text/ftp-nlst", parseName("")},
	} {
		if way.command == "MLSD" && !s.ctl.features["MLST"] { // RFC 3659, section 7.8: the feature MLST includes MLSD
			continue
		}
		res.MediaType, res.Parse = way.mediaType, parser(what, way.parse)
		t, err = s.retrieve(way.command, fetchers.Range{})
		fails := way.command == "MLSD" && s.alive() && s.ctl.last.Code/100 == 4 && !s.tooEarly() // LIST may succeed
		if err == nil || errors.Is(err, fs.ErrPermission) || !s.refused() && !s.foundNothing() && !fails {
			break
		}
	}
	if err != nil && s.foundNothing() {
		return s.done(res), nil // CWD has found the directory, so it is empty
	}
	if err != nil {
		return nil, err
	}
	t.expect(res)
	res.SetBody(t)
	return res, nil
}

// foundNothing reports whether the last listing was refused by a reply that some servers send for
// an empty directory, and others for a missing one.
func (s *session) foundNothing() bool {
	r := s.ctl.last
	return s.alive() && (r.Code == 450 || r.Code == 550 && classOf(r) == fs.ErrNotExist)
}

// names lists the names that NLST returns for the URL's name (RFC 1738, section 3.2.2). An empty
// list may mean an empty or a missing directory, and a list of the name itself a file; CWD
// distinguishes these.
func (s *session) names(req *fetchers.Request, what url.FTP, name string) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, Size: -1, MediaType: "text/ftp-nlst"}
	if req.Describe {
		return s.done(res), nil
	}
	if err := s.setType(true); err != nil {
		return nil, err
	}
	dir, prefix := what, ""
	dir.Name, dir.Type = "", 0
	if name != "" {
		// Most servers put the argument before each name; some do not.
		dir.CWD, prefix = append(what.CWD, what.Name), name+"/"
	}
	res.Parse = parser(dir, parseName(prefix))
	t, err := s.nameList(name)
	switch {
	case err == nil && name == "":
		t.expect(res)
		res.SetBody(t)
		return res, nil
	case err == nil:
		return s.judge(res, t, what, name)
	case !s.foundNothing():
		return nil, err
	case name != "":
		if err := s.cwd(name); err != nil {
			return nil, err
		}
	}
	return s.done(res), nil
}

// nameList starts NLST.
func (s *session) nameList(name string) (t *transfer, err error) {
	if name == "" {
		return s.retrieve("NLST", fetchers.Range{})
	}
	for _, spelled := range spellings(name) {
		if t, err = s.retrieve("NLST "+spelled, fetchers.Range{}); err == nil || !s.foundNothing() {
			break
		}
	}
	return t, err
}

// judge checks the beginning of a list of names, and completes res.
func (s *session) judge(res *fetchers.Resource, t *transfer, what url.FTP, name string) (*fetchers.Resource, error) {
	t.held = true
	t.expect(res)
	in := bufio.NewReader(t)
	head, err := in.Peek(in.Size()) // the whole list, if it is short
	t.held = false
	if err == nil {
		res.SetBody(struct {
			io.Reader
			io.Closer
		}{in, t})
		return res, nil
	}
	if err != io.EOF {
		return nil, err
	}
	first, _, _ := strings.Cut(string(head), "\n")
	first = strings.TrimSuffix(first, "\r")
	if first == "" || first == name {
		err := s.cwd(name)
		if err != nil && (first == "" || !s.refused()) {
			return nil, err
		}
		if err != nil { // it is a file, in the directory of the URL
			dir := what
			dir.Name, dir.Type = "", 0
			res.Parse = parser(dir, parseName(strings.TrimSuffix(name, what.Name)))
		}
	}
	res.SetBody(io.NopCloser(in))
	s.lease.Done()
	return res, nil
}
