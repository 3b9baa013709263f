package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// A connection fetches one range from a source.
type connection struct {
	*ranges
	id       int // its number in the share.File
	want     span
	source   *source
	cancel   func() // cancels the request
	answered bool
	dropped  bool           // the File has dropped it
	dropping sync.WaitGroup // waits for the end of its cancellation
}

// fetch reads the range from res, or requests it from the source if res is nil. After an error, the
// bytes that did not arrive, or whose end was not confirmed, are still missing. The context own
// belongs to this connection; further connections start with ctx.
func (c *connection) fetch(ctx, own context.Context, res *fetchers.Resource) error {
	defer c.cancel()
	if res == nil {
		var err error
		if res, err = c.open(own); err != nil {
			return err
		}
		defer res.Close()
	}
	if !c.accept(ctx, res) {
		return nil
	}
	_, err := io.Copy(writer{c, ctx}, res.Body)
	switch {
	case errors.Is(err, errWhole):
		return nil // another connection fetches the rest of the stream
	case err == nil && c.left() > 0:
		return io.ErrUnexpectedEOF
	}
	return err
}

// open requests the range, and returns the response if it is proven to be that range.
func (c *connection) open(ctx context.Context) (*fetchers.Resource, error) {
	c.mu.Lock()
	req := c.source.req.Rest(fetchers.Range{Offset: c.want.from, Length: c.want.len()}, c.source.state)
	c.mu.Unlock()
	req.Multiplex = false
	res, err := c.fetcher.Fetch(ctx, req)
	if err != nil {
		return nil, err
	}
	if !c.isProven(res) {
		res.Close()
		return nil, fmt.Errorf("%w: the response is not that range of the same file", fetchers.ErrRange)
	}
	return res, nil
}

// isProven reports whether res is the requested range, of the same version of the file as the
// earlier responses of the source.
func (c *connection) isProven(res *fetchers.Resource) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !proves(res, c.want, c.size, c.source.state) {
		return false
	}
	c.source.state = res.Validator
	return true
}

// accept passes the response to the File. It reports false if the response is no longer needed. If
// the server was asked for the rest of the file and does not say at which offset its response
// begins, only the end of the stream proves that it began at the right one.
func (c *connection) accept(ctx context.Context, res *fetchers.Resource) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = true
	promise := share.Promise{To: c.size}
	if res.Range.Length > 0 {
		promise.To = res.Range.Offset + res.Range.Length
	}
	promise.Stated = res.Range.Offset == 0 || promise.To < c.size || res.Header.Get("Content-Range") != ""
	needed, actions := c.file.Answered(c.now(), c.id, promise)
	c.do(ctx, actions)
	return needed
}

// left returns the number of bytes that the connection still has to fetch.
func (c *connection) left() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _ := c.file.Left(c.id)
	return n
}

// errWhole means that a connection has fetched its range before its stream ended.
var errWhole = errors.New("the range is whole")

// A writer writes the body of a connection to the partial file.
type writer struct {
	*connection
	ctx context.Context // for connections that start meanwhile
}

// Write writes the bytes of p that belong to the range. The error is errWhole if the range ends
// before the stream does.
func (w writer) Write(p []byte) (written int, err error) {
	for {
		w.mu.Lock()
		left, last := w.file.Left(w.id)
		at, n := w.file.Claim(w.id, int64(len(p)-written))
		hashed := w.hashed
		w.mu.Unlock()
		switch {
		case left == 0 && !last:
			return written, errWhole
		case written == len(p):
			return written, nil
		case n == 0:
			return written, fmt.Errorf("%w: the response is longer than the file of %d bytes", fetchers.ErrProtocol, w.size)
		}
		if err := w.write(p[written:written+int(n)], at, hashed); err != nil {
			return written, err
		}
		written += int(n)
	}
}

// write writes p at an offset of the file. The hashes have read the first hashed bytes.
func (w writer) write(p []byte, at, hashed int64) error {
	there := min(max(0, hashed-at), int64(len(p))) // written and hashed before, though not yet confirmed
	if _, err := w.part.WriteAt(p[there:], at+there); err != nil {
		return fileError(err)
	}
	news := int64(0)
	if there < int64(len(p)) && at+there == hashed {
		news = int64(len(p)) - there
		for _, h := range w.hashes {
			h.Write(p[there:])
		}
	}
	w.wrote(int64(len(p)), news)
	return nil
}

var _ fetchers.Taker = writer{}

// Take has the system move up to n bytes from the file to the range, unless there are hashes, which
// have to read the bytes. It leaves the last byte to Write, which can end the stream, unless the
// stream ends with the range.
func (w writer) Take(from *os.File, n int64) int64 {
	if len(w.hashes) > 0 {
		return 0
	}
	w.mu.Lock()
	left, last := w.file.Left(w.id)
	if !last {
		left--
	}
	at, n := w.file.Claim(w.id, max(min(n, w.atOnce, left), 0))
	w.mu.Unlock()
	if n == 0 {
		return 0
	}
	n = w.part.take(&at, from, n)
	w.wrote(n, 0)
	return n
}

// wrote counts n written bytes, hashed of which the hashes have read.
func (w writer) wrote(n, hashed int64) {
	w.meter.add(int(n))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hashed += hashed
	now := w.now()
	w.noted.tick(w.begun.Add(now))
	w.do(w.ctx, w.file.Received(now, w.id, n))
}
