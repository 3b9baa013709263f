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

// A Target tells where a resource is saved, and which content it must have.
type Target struct {
	Name    string // of the file; empty only with Prefer
	Strange bool   // a stranger chose the last element of Name: the file must not be a symbolic link
	Prefer  bool   // use the name that the server, a stranger, suggests; it is made safe
	Beside  bool   // an existing file stays, and the new one gets another name
	Keep    bool   // an existing file stays if it looks whole
	Newer   bool   // with Keep: a file looks whole only if its time is as new as the resource's, which must have one
	Times   bool   // the file gets the time of the resource
	Head    int64  // the first Head bytes of the existing file are kept; the Range of the request is the rest, which may be empty, and is fetched once

	Size   int64     // required size of the file in bytes; below 1 means any
	Most   int64     // maximum size in bytes; below 1 means no limit
	Sum    Sum       // required sum of the file; the zero Sum allows any
	Pieces *Pieces   // sums of its pieces: without a Sum they prove the file, otherwise they tell which pieces are right; may be nil
	Hash   hash.Hash // also receives the whole content, unless nil
	Meter  *Meter    // receives the progress, unless nil

	Allow func(name string) error // returns an error if a name that the server suggests must not be used; nil allows all
}

var (
	errLink    = errors.New("it is a symbolic link, and you did not choose the name")
	errSpecial = errors.New("it is not a regular file, and you did not choose the name")
)

// refuses returns an error if a stranger chose the name, and it is a symbolic link, which might
// lead out of the directory, or a pipe or device.
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

// inPieces reports whether only the sums of its pieces prove the file.
func (to Target) inPieces() bool { return to.Pieces != nil && to.Sum == (Sum{}) }

// holds reports whether the existing file has the required content.
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

// stillHolds returns an error if the existing file does not have the required content, although the
// server says that it is unchanged.
func (to Target) stillHolds(ctx context.Context, req *fetchers.Request) error {
	info, err := os.Stat(to.Name)
	if err != nil || !info.Mode().IsRegular() || to.holds(ctx) {
		return nil
	}
	return fetchers.NewError("verify", req.URL, fmt.Errorf("%w: the server has nothing newer, and %s has other content", ErrChecksum, to.Name))
}
