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

// Errors that are neither fs.ErrNotExist nor fs.ErrPermission: the thing may
// well exist, but it is not to be had by a file URL.
var (
	ErrElsewhere = errors.New("not on this machine")
	ErrSpecial   = errors.New("neither a file nor a directory")
)

// A Fetcher fetches file URLs. Its zero value is ready to use.
type Fetcher struct {
	// Hostname is the name of this machine, so that URLs with that host are
	// local too. It is compared, not looked up: to ask a name server about
	// every host would tell strangers what is read here.
	Hostname string

	// Blocked, if it is not nil, is the error of every Fetch, which then touches no file.
	Blocked error
}

// Fetch opens what req names. The context is looked at before each Read, which
// the system then does not let itself be interrupted in.
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

// locate finds the name by which the system knows a file. A host without a dot
// is more often a directory whose slash was forgotten.
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

// open opens a file or directory. It looks first, since merely to open
// something else can have an effect: a tape rewinds, a FIFO waits for a writer.
// It looks again afterwards, in case the name has come to mean something else;
// O_NONBLOCK keeps it from waiting even then.
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

// ordinary refuses what is neither a regular file nor a directory.
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

// reason takes the local name out of an error, which will name the URL.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
