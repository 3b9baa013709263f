package download

import (
	"context"
	"io"
	"os"
	"time"
)

// An output takes the content of a file while that comes. A partial file and an unnamed file
// become the file when they are committed; a special output passes the content on at once.
// After commit or discard an output is closed.
type output interface {
	io.Writer   // behind what was written so far
	io.WriterAt // not for a pipe
	io.ReaderAt // not for a special output

	// take has the system move up to n octets from a pipe or file to an offset of the
	// output, or behind what was written so far if that is nil. It returns how many were
	// moved, which is 0 where the system cannot do that.
	take(offset *int64, from *os.File, n int64) int64

	// size returns how many octets the output has, or less than 0 if that is not known.
	size() int64

	// readable reports whether the content can be read and written again.
	readable() bool

	// commit makes the output the file, and returns the name that it got. ctx ends the
	// wait for a reader of a pipe.
	commit(ctx context.Context, how finish) (name string, err error)

	// discard removes what was written, as far as it can be.
	discard()
}

// A finish says how an output becomes the file. The zero finish replaces a file that has the
// name.
type finish struct {
	beside   bool      // a file that has the name is spared, and the output gets another name
	private  bool      // if no file is replaced, the new one is for its owner alone
	modified time.Time // of the file; zero is the time when it was written
}

// marked returns an output that was opened, known as ours if it is a partial file.
func marked(out output, err error) (output, error) {
	if part, ok := out.(*partial); ok && err == nil {
		part.mark()
	}
	return out, err
}

// A handle is the open file of an output.
type handle struct{ file *os.File }

func (h handle) Write(p []byte) (int, error)               { return h.file.Write(p) }
func (h handle) WriteAt(p []byte, at int64) (int, error)   { return h.file.WriteAt(p, at) }
func (h handle) ReadAt(p []byte, at int64) (int, error)    { return h.file.ReadAt(p, at) }
func (h handle) ReadFrom(r io.Reader) (int64, error)       { return h.file.ReadFrom(r) }
func (h handle) take(at *int64, f *os.File, n int64) int64 { return move(h.file, at, f, n) }

func (h handle) size() int64 {
	info, err := h.file.Stat()
	if err != nil {
		return -1
	}
	return info.Size()
}
