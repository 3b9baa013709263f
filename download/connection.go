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

// A connection fetches one range from a place.
type connection struct {
	*ranges
	id       int // in the File
	want     span
	source   *source
	cancel   func() // ends it
	answered bool
	dropped  bool           // the File wants no more of it
	dropping sync.WaitGroup // its end
}

// fetch fetches the range from res, or asks the source for it if res is nil. After an error the
// octets that did not come, or whose end was not confirmed, are still missing. The context own
// is that of this connection; further connections are begun with ctx.
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
		return nil // the rest of the stream is for another connection
	case err == nil && c.left() > 0:
		return io.ErrUnexpectedEOF
	}
	return err
}

// open asks the place for the range, and returns the answer if it is proven to be that.
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
		return nil, fmt.Errorf("%w: not as a range of the same file", fetchers.ErrRange)
	}
	return res, nil
}

// isProven reports whether res is the range that was asked for, and of the same state of the
// file as the earlier answers of the source.
func (c *connection) isProven(res *fetchers.Resource) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !proves(res, c.want, c.size, c.source.state) {
		return false
	}
	c.source.state = res.Validator
	return true
}

// accept tells the File of the answer. It reports false if that is not needed any more. Where a
// server was asked for all from the middle of the file on, and does not say from where it
// sends, only the end of the stream proves that it began where it should.
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

// left returns how many octets are left to bring.
func (c *connection) left() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _ := c.file.Left(c.id)
	return n
}

// errWhole says that a connection has brought its range, and its stream goes on.
var errWhole = errors.New("the range is whole")

// A writer writes the body of a connection to the partial file.
type writer struct {
	*connection
	ctx context.Context // of the connections that are begun meanwhile
}

// Write writes p, as far as it belongs to the range. The error is errWhole if the range is whole
// before the stream ends.
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
			return written, fmt.Errorf("%w: more comes than the %d octets there are", fetchers.ErrProtocol, w.size)
		}
		if err := w.write(p[written:written+int(n)], at, hashed); err != nil {
			return written, err
		}
		written += int(n)
	}
}

// write writes p at an offset of the file, of which the hashes have the first hashed octets.
func (w writer) write(p []byte, at, hashed int64) error {
	there := min(max(0, hashed-at), int64(len(p))) // was in doubt, and has been hashed
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

// Take has the system move some of the first n octets of from to the range, unless there are
// hashes, which must see them. The last octet is for Write, which can end the stream, unless
// the stream ends with the range.
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

// wrote takes note of n octets that were written, of which the hashes got some.
func (w writer) wrote(n, hashed int64) {
	w.meter.add(int(n))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hashed += hashed
	now := w.now()
	w.noted.tick(w.begun.Add(now))
	w.do(w.ctx, w.file.Received(now, w.id, n))
}
