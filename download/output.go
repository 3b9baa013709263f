package download

import (
	"context"
	"io"
	"os"
	"time"
)

// An output receives the content of a file. A partial file and an unnamed file become the file on
// commit; a special output passes the content on at once. Commit and discard close an output.
type output interface {
	io.Writer   // appends
	io.WriterAt // not for a pipe
	io.ReaderAt // not for a special output

	// take has the system move up to n bytes from a pipe or file to an offset of the output, or to
	// its end if offset is nil. It returns the number of moved bytes, which is 0 if the system
	// cannot do it.
	take(offset *int64, from *os.File, n int64) int64

	// size returns the size of the output in bytes, or a negative value if it is unknown.
	size() int64

	// readable reports whether the content can be read and rewritten.
	readable() bool

	// commit turns the output into the file, and returns its name. ctx limits the wait for the
	// reader of a pipe.
	commit(ctx context.Context, how finish) (name string, err error)

	// discard removes the written content, as far as possible.
	discard()
}

// A finish controls how an output becomes the file. The zero finish replaces an existing file.
type finish struct {
	beside   bool      // do not replace an existing file; use another name instead
	private  bool      // a new file is for its owner only, unless it replaces one
	modified time.Time // the time of the file; zero keeps the time of writing
}

// marked returns an opened output. A partial file gets a journal that marks it as created by this
// program.
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
