package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Errors other than fs.ErrNotExist and fs.ErrPermission: the file may exist, but a file URL cannot
// fetch it.
var (
	ErrElsewhere = errors.New("not on this machine")
	ErrSpecial   = errors.New("neither a file nor a directory")
)

// A Fetcher fetches file URLs. The zero value is ready to use.
type Fetcher struct {
	// Hostname is the name of the local machine, so that URLs with that host are local too. It is
	// compared, not looked up: a DNS query for every host would reveal which files are read.
	Hostname string

	// If Blocked is not nil, every Fetch returns it and accesses no file.
	Blocked error
}

// Fetch opens the file of req. It checks the context before each Read, since a Read of a file
// cannot be interrupted.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	where, err := req.URL.File()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if f.Blocked != nil {
		return nil, fetchers.NewError("fetch", req.URL, f.Blocked)
	}
	name, err := f.locate(where)
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	opened, info, err := open(name)
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, reason(err))
	}
	var res *fetchers.Resource
	if info.IsDir() {
		res = f.directory(ctx, req, opened, where)
	} else if res, err = document(ctx, req, opened, info); err != nil {
		opened.Close()
		return nil, fetchers.NewError("fetch", req.URL, reason(err))
	}
	if req.Describe || res.Kind == fetchers.Unchanged {
		opened.Close()
		res.SetBody(nil)
	}
	return res, nil
}

// locate returns the local name of a file. A host without a dot is often a directory after a
// missing slash; the error says so.
func (f *Fetcher) locate(where url.File) (string, error) {
	if where.Host == "" || strings.EqualFold(where.Host, f.Hostname) {
		return localName(where.Path)
	}
	hint := ""
	if !strings.Contains(where.Host, ".") {
		meant := url.File{Path: "/" + where.Host + where.Path}
		hint = fmt.Sprintf(" (did you mean %s ?)", meant.URL())
	}
	return "", fmt.Errorf("file is on %s, %w%s", where.Host, ErrElsewhere, hint)
}

// open opens a file or directory. It first checks its type, since opening another type can have an
// effect: a tape rewinds, a FIFO waits for a writer. It checks again afterwards, in case the name
// was replaced; O_NONBLOCK prevents waiting even then.
func open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := ordinary(info); err != nil {
		return nil, nil, err
	}
	opened, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = opened.Stat(); err == nil {
		err = ordinary(info)
	}
	if err != nil {
		opened.Close()
		return nil, nil, err
	}
	return opened, info, nil
}

// ordinary returns an error unless the file is regular or a directory.
func ordinary(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%w: a FIFO", ErrSpecial)
	case mode&fs.ModeSocket != 0:
		return fmt.Errorf("%w: a socket", ErrSpecial)
	case mode&fs.ModeDevice != 0:
		return fmt.Errorf("%w: a device", ErrSpecial)
	}
	return ErrSpecial
}

// reason removes the local name from an error, which will contain the URL.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
