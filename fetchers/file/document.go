package file

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// document describes an open regular file. Its Body is the requested range.
func document(ctx context.Context, req *fetchers.Request, file *os.File, info fs.FileInfo) (*fetchers.Resource, error) {
	res := &fetchers.Resource{
		URL:       req.URL,
		Kind:      fetchers.Document,
		MediaType: fetchers.TypeByName(info.Name()),
		Size:      sizeOf(file, info),
	}
	b := &body{ctx: ctx, file: file, info: info, left: res.Size}
	res.SetBody(b)
	if res.Size < 0 {
		return res, nil
	}
	res.Validator.ModTime = info.ModTime()

	unchanged := req.Have.ModTime.Equal(info.ModTime()) && req.Have.ETag == ""
	switch {
	case req.Range == fetchers.Range{} && unchanged:
		res.Kind = fetchers.Unchanged
		return res, nil
	case req.Range == fetchers.Range{}, !req.Have.IsZero() && !unchanged:
		return res, nil
	}
	var err error
	if res.Range, err = req.Range.In(res.Size); err != nil {
		return nil, err
	}
	b.left = res.Range.Length
	_, err = file.Seek(res.Range.Offset, io.SeekStart)
	return res, err
}

// sizeOf returns the size of a file, or -1 if the kernel generates the file during reading. Such a
// file reports the size 0 (procfs) or one page (sysfs), so that sizeOf checks files of these sizes.
func sizeOf(file *os.File, info fs.FileInfo) int64 {
	size := info.Size()
	if size != 0 && size != int64(os.Getpagesize()) {
		return size
	}
	last := max(size-1, 0)
	n, _ := file.ReadAt(make([]byte, 1), last)
	if (n == 1) != (size > 0) {
		return -1
	}
	return size
}

// A body reads an open file.
type body struct {
	ctx  context.Context
	file *os.File
	info fs.FileInfo // when it was opened
	left int64       // announced bytes that have not been read; -1 if the size is unknown
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left < 0 {
		n, err := b.file.Read(p)
		return n, reason(err)
	}
	if b.left == 0 {
		return 0, b.end()
	}
	n, err := b.file.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, reason(err)
}

// end returns io.EOF if all bytes are from one version of the file. Appended bytes are not part of
// it, so that a larger file counts as the same.
func (b *body) end() error {
	now, err := b.file.Stat()
	switch {
	case err != nil:
		return reason(err)
	case now.Size() <= b.info.Size() && !now.ModTime().Equal(b.info.ModTime()):
		return fmt.Errorf("%w while it was read", fetchers.ErrChanged)
	}
	return io.EOF
}

var _ fetchers.Lender = (*body)(nil)

// Lend passes the remaining bytes to use.
func (b *body) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if b.ctx.Err() != nil || b.left <= 0 {
		return 0
	}
	n := use(b.file, min(most, b.left))
	b.left -= n
	return n
}

// Close closes the file.
func (b *body) Close() error { return b.file.Close() }
