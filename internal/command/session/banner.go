package session

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// A service that has sent a prompt, which is a line without an end, and is then silent for
// a second waits for an answer. After a whole line more may follow, such as a prompt before
// which the service looks up a name.
const (
	afterPrompt = time.Second
	afterLine   = 5 * time.Second
)

// Banner returns f, unless the user asked for the banner of a service. The Fetcher that it
// returns then makes a document of the first words of a service that f finds. It fails with
// ErrStalled if the service sends nothing for stall; 0 is no limit.
func Banner(f fetchers.Fetcher, o option.Session, stall time.Duration) fetchers.Fetcher {
	if o.Banner == 0 {
		return f
	}
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res, err := f.Fetch(ctx, req)
		if err != nil || res.Kind != fetchers.Session {
			return res, err
		}
		return listen(ctx, f, o, stall, res)
	})
}

// listen closes res, a Session, and returns it as the document of the banner.
func listen(ctx context.Context, f fetchers.Fetcher, o option.Session, stall time.Duration, res *fetchers.Resource) (*fetchers.Resource, error) {
	res.Close()
	hint, err := open(ctx, f, o, res)
	if err != nil {
		return nil, err
	}
	conn, err := hint.Dial(ctx)
	if err != nil {
		return nil, err
	}
	b := newBanner(conn, int64(o.Banner), stall)
	res.Kind, res.MediaType, res.Confirmed = fetchers.Document, "text/plain", b.over.Load
	res.SetBody(b)
	return res, nil
}

// A banner is the first words of a service. It ends when the service is silent, at a limit,
// or when the service ends the session, which is the only end that is certain.
type banner struct {
	conn  io.ReadWriteCloser
	left  int64
	stall time.Duration // how long to wait for the first octet; 0 is no limit

	parts  chan part
	closed chan struct{}
	close  sync.Once

	rest []byte
	err  error
	last byte
	any  bool
	over atomic.Bool
}

// A part is the result of one Read of the connection.
type part struct {
	octets []byte
	err    error
}

func newBanner(conn io.ReadWriteCloser, limit int64, stall time.Duration) *banner {
	b := &banner{conn: conn, left: limit, stall: stall, parts: make(chan part), closed: make(chan struct{})}
	go b.receive()
	return b
}

// receive passes on parts until the connection fails, as it does at the end of its context,
// or until the banner is closed.
func (b *banner) receive() {
	for {
		buf := make([]byte, 4096)
		n, err := b.conn.Read(buf)
		select {
		case b.parts <- part{buf[:n], err}:
		case <-b.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns io.EOF also after the silence that is taken for the end.
func (b *banner) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.left == 0 {
			b.err = io.EOF
		}
		if b.err == nil {
			b.wait()
		}
		if b.err != nil && len(b.rest) == 0 {
			return 0, b.err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// wait waits for the next part, or until silence is taken for the end.
func (b *banner) wait() {
	silence := afterLine
	switch {
	case !b.any:
		silence = b.stall
	case b.last != '\n':
		silence = afterPrompt
	}
	var elapsed <-chan time.Time
	if silence > 0 {
		timer := time.NewTimer(silence)
		defer timer.Stop()
		elapsed = timer.C
	}
	select {
	case got := <-b.parts:
		b.rest, b.err = got.octets[:min(int64(len(got.octets)), b.left)], got.err
		b.left -= int64(len(b.rest))
		b.over.Store(got.err == io.EOF)
		if len(b.rest) > 0 {
			b.any, b.last = true, b.rest[len(b.rest)-1]
		}
	case <-elapsed:
		b.err = io.EOF
		if !b.any {
			b.err = fmt.Errorf("%w: the service says nothing for %v", fetchers.ErrStalled, silence)
		}
	}
}

// Close ends the session. It may be called again.
func (b *banner) Close() error {
	b.close.Do(func() { close(b.closed) })
	return b.conn.Close()
}
