package ftp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// begun returns the Body of a file that is empty by SIZE. If data arrives, the size is unknown: the
// server generates the file while it is read, like those in /proc.
func (t *transfer) begun(res *fetchers.Resource) (io.ReadCloser, error) {
	t.size = -1
	in := bufio.NewReader(t)
	switch _, err := in.Peek(1); {
	case err == nil:
		t.s.ctl.trace.Note("SIZE is 0, but data arrives, so the size is unknown")
		res.Size = -1
	case err != io.EOF:
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{in, t}, nil
}

// A doubt describes a file of which no data arrived, and whose size is unknown. Some servers accept
// any CWD and RETR.
type doubt struct {
	name    string // of the file; "" if there is no doubt
	missing bool   // SIZE reports that there is no such file

	ctx context.Context // of the listing; Close cancels it, and thereby its data connection
	end context.CancelFunc
}

// doubts makes t look for the file in a listing if no data arrives.
func (t *transfer) doubts(name string, missing bool) {
	t.doubt = doubt{name: name, missing: missing}
	t.doubt.ctx, t.doubt.end = context.WithCancel(t.s.ctx)
}

// release cancels the context of d.
func (d doubt) release() {
	if d.end != nil {
		d.end()
	}
}

// maxProof is how many bytes of a listing are read to find a file.
const maxProof = 1 << 20

// settle returns an error if SIZE or the listing of the directory shows that the file does not
// exist, or is not empty. The listing takes precedence over SIZE, which some servers refuse for all
// files.
func (d doubt) settle(t *transfer) error {
	s, fetch := t.s, t.s.ctx
	s.Bind(d.ctx)
	e, told := s.find(d.name)
	s.Bind(fetch)
	switch {
	case fetch.Err() != nil:
		return fetch.Err()
	case t.lease.Over():
		return net.ErrClosed
	case e.Kind == fetchers.Document && e.Size > 0 && !s.ascii:
		return fmt.Errorf("%w: no data arrived, but the listing has %d bytes", io.ErrUnexpectedEOF, e.Size)
	case e.Kind == fetchers.Listing:
		return fmt.Errorf("%w: no data arrived, and it is a directory in the listing", fs.ErrNotExist)
	case e.Name != "":
		return nil
	case told:
		return fmt.Errorf("%w: no data arrived, and the listing has no such file", fs.ErrNotExist)
	case d.missing:
		return fmt.Errorf("%w: no data arrived, and SIZE finds no such file", fs.ErrNotExist)
	}
	return nil
}

// find lists the working directory and returns the Entry with a name. told is false if the listing
// may omit a file.
func (s *session) find(name string) (found fetchers.Entry, told bool) {
	if strings.Contains(name, "/") {
		return found, false
	}
	command, parse := "LIST", newLineParser(time.Now())
	if s.ctl.features["MLST"] {
		command, parse = "MLSD", parseFacts
	}
	t, err := s.retrieve(command, fetchers.Range{})
	if err != nil {
		return found, false
	}
	n := 0
	src := &io.LimitedReader{R: t.in, N: maxProof}
	unsure := listedOtherwise(name)
	for e, err := range parser(url.FTP{}, parse)(src) {
		n++
		if err != nil || e.Kind == fetchers.Unparsed {
			unsure = true
		} else if strings.EqualFold(e.Name, name) && found.Name != name {
			found = e
		}
	}
	if err := t.in.Close(); err != nil || src.N == 0 {
		s.lost = true
		return fetchers.Entry{}, false
	}
	return found, n > 0 && !unsure
}

// listedOtherwise reports whether a listing may omit a file with this name, or change the name: by
// another encoding, or without a version or spaces.
func listedOtherwise(name string) bool {
	other := func(r rune) bool { return r < ' ' || r > '~' || r == ';' }
	return name[0] == '.' || name != strings.TrimSpace(name) || strings.ContainsFunc(name, other)
}
