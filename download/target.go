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

// A Target says where a resource is saved, and which content it must have.
type Target struct {
	Name    string // of the file; it may be empty only with Prefer
	Strange bool   // a stranger chose the last element of Name: the file must not be a symbolic link
	Prefer  bool   // a name that the server suggests is used instead, made safe; a stranger chose it
	Beside  bool   // a file that has the name is spared, and the new one gets another
	Keep    bool   // a file that has the name stays as it is if it looks whole
	Newer   bool   // with Keep: a file looks whole only by a time, which the resource must have
	Times   bool   // the file gets the time of the resource
	Head    int64  // octets of a file that has the name are the beginning; the Range of the request is the rest, which may be empty, and is fetched once

	Size   int64     // how many octets the file must have; less than 1 is any number
	Most   int64     // how many it may have; less than 1 is any number
	Sum    Sum       // the sum that the file must have; the zero Sum is any
	Pieces *Pieces   // the sums of its pieces: they prove the file if there is no Sum, and tell which of it is right otherwise; may be nil
	Hash   hash.Hash // is given the whole content of the file too, unless it is nil
	Meter  *Meter    // is told the progress, unless it is nil

	Allow func(name string) error // returns why a name that the server suggests must not be used; nil allows all
}

var (
	errLink    = errors.New("it is a symbolic link, and the name is not yours")
	errSpecial = errors.New("it is no regular file, and the name is not yours")
)

// refuses returns an error if a stranger chose a name, and that is the name of a symbolic
// link, which might lead out of the directory, or of a pipe or device, which would be written
// to.
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

// holds reports whether the file that is there has the content that it must have.
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

// stillHolds returns an error if the file that is there has not the content that it must have,
// though the server says that it has nothing newer.
func (to Target) stillHolds(ctx context.Context, req *fetchers.Request) error {
	info, err := os.Stat(to.Name)
	if err != nil || !info.Mode().IsRegular() || to.holds(ctx) {
		return nil
	}
	return fetchers.NewError("verify", req.URL, fmt.Errorf("%w: it is unchanged, and %s is not what it should be", ErrChecksum, to.Name))
}
