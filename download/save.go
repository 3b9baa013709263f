package download

import (
	"context"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Saver saves what it fetches into files.
type Saver struct {
	// Fetcher does the work. It is usually a *fetchers.Client.
	Fetcher fetchers.Fetcher

	// Write writes a Resource to a file, if there is a better way than to copy
	// its Body, as for a Listing. A Document has to be copied.
	Write func(w io.Writer, res *fetchers.Resource) error
}

// A Target says where a resource is to be saved, and what it has to be.
type Target struct {
	Name    string // of the file
	Strange bool   // the last element of Name is a stranger's: it is not to be a symbolic link
	Prefer  bool   // a name that the server suggests is better, made safe; it is a stranger's
	Beside  bool   // a file that has the name is spared, and the new one gets another
	Keep    bool   // a file that has the name is left as it is if it looks whole
	Times   bool   // the file gets the time of the resource

	Sum  Sum       // what the file has to hash to; zero is anything
	Hash hash.Hash // is given the whole content of the file too, if it is not nil
}

// A Saved is what became of a resource.
type Saved struct {
	*fetchers.Resource        // which is closed
	Name               string // of the file; empty if there was nothing to save
	Resumed            int64  // how many octets were there from an earlier attempt
}

// A FileError is a failure to write a file.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// fileError returns err as a FileError, if it is an error.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	return &FileError{err}
}

// Save fetches what req asks for into a file. If an earlier attempt left a part
// of it and the server still has the same, only the rest is fetched; if it has
// changed, all of it is, and the two are never mixed. What is whole gets its name;
// what is interrupted is left as NAME.part with NAME.part.json beside it, if it
// can be taken up again, and removed if not.
//
// A Resource that has no content of its own, such as a Redirect or a Session, is
// returned without a Name, and so is one of Kind Unchanged. The error is a
// FileError if the file cannot be written, and that is ErrBusy if another download
// writes it; it is ErrChecksum if the content is not what it has to be, and one of
// package fetchers otherwise. The Saved is nil if there was no Resource.
func (s *Saver) Save(ctx context.Context, req *fetchers.Request, to Target) (*Saved, error) {
	part, err := to.unfinished(req)
	if err != nil {
		return nil, fileError(err)
	}
	if part == nil && to.Keep {
		if res := s.looksWhole(ctx, req, to.Name); res != nil {
			return &Saved{Resource: res}, nil
		}
	}
	res, err := s.open(ctx, req, part)
	if err != nil {
		part.leave()
		return nil, err
	}
	defer res.Close()
	saved := &Saved{Resource: res}
	switch res.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
	default:
		part.leave()
		_, err := io.Copy(io.Discard, res.Body) // empty, and read to its end
		return saved, err
	}
	if to.Prefer && res.Name != "" {
		to.Name = filepath.Join(filepath.Dir(to.Name), SafeName(res.Name))
	}
	switch {
	case part == nil:
		part, err = to.create()
	case part.continuedBy(res):
		saved.Resumed = res.Range.Offset
	default:
		fetchers.ContextTrace(ctx).Note("the server does not send the rest of the same: starting over")
		err = part.startOver()
	}
	if err != nil {
		part.leave()
		return saved, fileError(err)
	}
	if err := s.fill(part, req, res, to); err != nil {
		return saved, err
	}
	if to.Times && !res.Validator.ModTime.IsZero() {
		os.Chtimes(part.Name(), time.Time{}, res.Validator.ModTime) // or it keeps that of today
	}
	saved.Name, err = to.commit(part)
	return saved, fileError(err)
}

// looksWhole returns what is known about what req asks for, as Kind Unchanged, if
// the file called name has the same size and is not older. It is nil otherwise.
func (s *Saver) looksWhole(ctx context.Context, req *fetchers.Request, name string) *fetchers.Resource {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	about := *req
	about.Describe = true
	res, err := s.Fetcher.Fetch(ctx, &about)
	if err != nil {
		return nil // the fetch will fail too, and say why
	}
	res.Close()
	if res.Kind != fetchers.Document || res.Size != info.Size() || res.Validator.ModTime.After(info.ModTime()) {
		return nil
	}
	res.Kind = fetchers.Unchanged
	return res
}

// open asks for what req asks for, or for the rest of it if there is a part.
func (s *Saver) open(ctx context.Context, req *fetchers.Request, part *Part) (*fetchers.Resource, error) {
	if part == nil {
		return s.Fetcher.Fetch(ctx, req)
	}
	rest := *req
	rest.Range.Offset, rest.Have = part.journal.next(), part.journal.validator()
	res, err := s.Fetcher.Fetch(ctx, &rest)
	switch {
	case errors.Is(err, fetchers.ErrRange), errors.Is(err, fetchers.ErrChanged), errors.Is(err, fetchers.ErrProtocol):
		return s.Fetcher.Fetch(ctx, req) // the whole may still be had
	case err == nil && res.Range != (fetchers.Range{}) && !part.continuedBy(res):
		res.Close() // it is the rest of something else
		return s.Fetcher.Fetch(ctx, req)
	}
	return res, err
}

// fill writes res to part, after what is there already. If that fails, the part is
// left or removed.
func (s *Saver) fill(part *Part, req *fetchers.Request, res *fetchers.Resource, to Target) error {
	sum := to.Sum.hash()
	dst := &filler{part: part}
	for _, h := range []hash.Hash{sum, to.Hash} {
		if h != nil {
			dst.hashes = append(dst.hashes, h)
		}
	}
	err := fileError(dst.seek(res.Range.Offset))
	if err == nil {
		stop := part.record(req.URL, res, dst.written.Load)
		err = s.write(dst, res)
		stop()
	}
	if err == nil {
		if err = to.Sum.check(sum); err == nil {
			return nil
		}
		part.Discard()
		return fetchers.NewError("verify", req.URL, err)
	}
	if part.journal != nil && part.journal.Done > 0 {
		part.leave()
	} else {
		part.Discard()
	}
	return err
}

func (s *Saver) write(w io.Writer, res *fetchers.Resource) error {
	if s.Write != nil {
		return s.Write(w, res)
	}
	_, err := io.Copy(w, res.Body)
	return err
}

// unfinished returns the part of what req asks for that an earlier attempt left,
// or nil if there is none to go on with.
func (to Target) unfinished(req *fetchers.Request) (*Part, error) {
	if req.Range != (fetchers.Range{}) || !req.Have.IsZero() || to.Prefer || to.leadsAway() {
		return nil, nil // it asks for something else than the whole, or who knows where to
	}
	name, special, err := resolve(to.Name)
	if err != nil || special {
		return nil, nil // create will say what is wrong with it
	}
	part, err := reopen(name)
	switch {
	case errors.Is(err, ErrBusy) && !to.Beside:
		return nil, err
	case err != nil:
		return nil, nil
	case !part.journal.about(req.URL) || part.size() < part.journal.Done:
		part.leave()
		return nil, nil
	}
	return part, nil
}

var errLink = errors.New("it is a symbolic link, and the name is not yours")

// leadsAway reports whether a name from a stranger is that of a symbolic link, by
// which it might lead out of the directory.
func (to Target) leadsAway() bool {
	info, err := os.Lstat(to.Name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0 && (to.Strange || to.Prefer)
}

// create begins the part.
func (to Target) create() (*Part, error) {
	switch {
	case to.Beside:
		return CreateBeside(to.Name)
	case to.leadsAway():
		return nil, &fs.PathError{Op: "create", Path: to.Name, Err: errLink}
	}
	return Create(to.Name)
}

// commit gives the part its name, and returns it.
func (to Target) commit(part *Part) (string, error) {
	if to.Beside {
		return part.CommitBeside()
	}
	return to.Name, part.Commit()
}
