package download

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Target says where a resource is to be saved, and what it has to be.
type Target struct {
	Name    string // of the file; it is not empty, unless Prefer finds a better one
	Strange bool   // the last element of Name is a stranger's: it is not to be a symbolic link
	Prefer  bool   // a name that the server suggests is better, made safe; it is a stranger's
	Beside  bool   // a file that has the name is spared, and the new one gets another
	Keep    bool   // a file that has the name is left as it is if it looks whole
	Newer   bool   // with Keep: a file looks whole only by a time, which the resource has to have
	Times   bool   // the file gets the time of the resource
	Head    int64  // octets of a file that has the name are the beginning; the Range of the request is the rest, and is fetched once

	Size   int64     // how many octets the file has to have; less than 1 is any number
	Most   int64     // how many it may have; less than 1 is any number
	Sum    Sum       // what the file has to hash to; zero is anything
	Pieces *Pieces   // what pieces of it have to; nil is anything, and so it is without Sum
	Hash   hash.Hash // is given the whole content of the file too, if it is not nil
	Meter  *Meter    // is told how far it is, if it is not nil

	Allow func(name string) error // says why a name that the server suggests is not to be used; nil allows all
}

var (
	errLink    = errors.New("it is a symbolic link, and the name is not yours")
	errSpecial = errors.New("it is no regular file, and the name is not yours")
)

// refuses returns an error if a name from a stranger is that of a symbolic link, by which
// it might lead out of the directory, or of a pipe or device, which would be written to.
func (to Target) refuses(name string) error {
	if !to.Strange && !to.Prefer {
		return nil
	}
	switch info, err := os.Lstat(name); {
	case err != nil || info.Mode().IsRegular() || info.IsDir():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return errLink
	}
	return errSpecial
}

// inPieces reports whether pieces are all that the file is known to hash to.
func (to Target) inPieces() bool { return to.Pieces != nil && to.Sum == (Sum{}) }

// holds reports whether the file that is there is what it has to be.
func (to Target) holds(ctx context.Context) bool {
	if !to.inPieces() {
		return to.Sum.holds(to.Name)
	}
	f, err := os.Open(to.Name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && to.Pieces.check(ctx, f, info.Size()) == nil
}

// stillHolds returns an error if there is a file, and it is not what it has to be though the
// server says that it has nothing newer.
func (to Target) stillHolds(ctx context.Context, req *fetchers.Request) error {
	info, err := os.Stat(to.Name)
	if err != nil || !info.Mode().IsRegular() || to.holds(ctx) {
		return nil
	}
	return fetchers.NewError("verify", req.URL, fmt.Errorf("%w: it is unchanged, and %s is not what it should be", ErrChecksum, to.Name))
}
