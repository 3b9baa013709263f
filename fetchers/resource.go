package fetchers

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/textproto"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Resource is what a URL named.
type Resource struct {
	// URL is where the Body came from, after any redirection.
	URL  *url.URL
	Kind Kind

	// Reply is the server's last word, in protocols that have one. Where
	// there is one more after the Body, it is here once Body has ended.
	Reply Reply

	// Refusal is the refusal that Body came with, if the Request has NoFail, and
	// otherwise nil. So is a redirection that is not followed. A Client repeats the request after a Refusal that may pass as it
	// does after an error, and returns the last Resource.
	Refusal *StatusError

	MediaType string // as declared or implied by the protocol; "" if neither
	Name      string // of a file, as the server suggests it; not a safe name
	Size      int64  // of the whole resource, not of Range; -1 if unknown
	Validator Validator
	Range     Range // what Body holds; Offset is 0 unless the server honoured Request.Range
	Header    textproto.MIMEHeader

	// RemoteAddr is the address of the server that has answered, or of a proxy that speaks for
	// it; nil if nobody was connected to. TLS is the state of the connection, or nil if it was
	// in clear. It is shared, and must not be changed.
	RemoteAddr net.Addr
	TLS        *tls.ConnectionState

	// LocalAddr is the address of this end of the connection; nil if a protocol does not tell it.
	LocalAddr net.Addr

	// Streams is how many requests the connection of this Resource carries at
	// once (HTTP/2). It is 0 if requests take turns on the connection.
	Streams int

	Location *url.URL                    // for Redirect, where it is nil only with Request.NoFollow
	Leads    func(scheme string) bool    // for Redirect: whether it may lead to a scheme that is not open to all; if nil, to none
	Upgrade  bool                        // for Redirect: the Fetcher itself, and no server, asks for the same URL over TLS
	Query    func(words string) *url.URL // for Index: where the answer to words is; a Body is about it, and has a MediaType
	Session  *SessionHint                // for Session

	// Body is never nil. Read returns io.EOF only if the server confirmed, in
	// whatever way its protocol allows, that everything was sent; a transfer
	// cut short ends in io.ErrUnexpectedEOF. Closing before the end abandons
	// the transfer, also while a Read waits; closing after it lets the
	// connection be used again.
	Body io.ReadCloser

	// Parse turns Body into entries. Fetchers set it for Listings; callers
	// use Entries.
	Parse func(body io.Reader) iter.Seq2[Entry, error]

	// MaxListing is how many bytes of Body Entries reads before it ends in
	// ErrTooLarge: 0 means DefaultMaxListing, less than 0 as many as there are. A
	// listing may be endless.
	MaxListing int64

	// Confirmed reports, once the Body has been read to its end, whether the
	// protocol said that this was all. It stays false where the protocol
	// cannot say (plain gopher, HTTP/1.0 until close).
	Confirmed func() bool

	received atomic.Int64
}

// A Reply is a status line: a number and the server's own words.
type Reply struct {
	Proto string // of HTTP, as "HTTP/1.1"; "" in other protocols
	Code  int
	Text  string
}

// An Entry is one line of a Listing.
type Entry struct {
	// URL is where the entry leads, complete and ready to fetch.
	// It is nil for lines of plain text.
	URL  *url.URL
	Name string // as the server would show it, octet for octet
	Kind Kind   // what fetching URL should yield, if the server lets on

	MediaType string
	Size      int64 // -1 if unknown
	ModTime   time.Time
	DateOnly  bool   // ModTime is a day: the server tells no time of day
	Title     string // where the server has one besides the Name
	Author    string // of an article: name and address, decoded
	Score     int    // WAIS relevance, 1 to 1000; 0 elsewhere

	// Attributes holds what else the server said, such as "unix.mode". A symbolic link has
	// "unix.link", its target, or "" if the server does not tell that; on Windows it has
	// "dos.link".
	Attributes map[string]string

	// Sys is the protocol's own record of the entry, such as a
	// gopher.Item or an nntp.Overview.
	Sys any
}

// Target returns the target of a symbolic link as the server writes it, or "" if e is no link
// or the server does not tell.
func (e Entry) Target() string { return cmp.Or(e.Attributes["unix.link"], e.Attributes["dos.link"]) }

// A SessionHint tells how to reach an interactive service.
type SessionHint struct {
	Service string     // "telnet", "telnets", "rlogin", "tn3270", or "cso" for a phone book
	Addr    string     // host:port
	Login   Credential // advice for whoever logs in, and never sent

	// Dial opens the session, which ends with ctx. It is nil if only another
	// program can, or another Fetcher: that for the scheme of the Service.
	//
	// What it returns may have two more methods: Resize(width, height int)
	// error, to tell how large the terminal is, and Echoes() bool, which
	// reports whether the service echoes what it is sent.
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)
}

// Close closes the Body. It may be called more than once.
func (r *Resource) Close() error {
	if r == nil || r.Body == nil {
		return nil
	}
	return r.Body.Close()
}

// discard closes r, which is not wanted. It reads the rest of a short Body first, if that
// comes at once, so that the connection can be used again.
func (r *Resource) discard() {
	late := time.AfterFunc(time.Second, func() { r.Close() })
	defer late.Stop()
	io.CopyN(io.Discard, r.Body, 16<<10)
	r.Close()
}

// Received returns the number of bytes read from the Body so far.
// It may be called while another goroutine is reading.
func (r *Resource) Received() int64 { return r.received.Load() }

// Entries reads the entries of a Listing from the Body, in the server's order.
// An error ends the sequence and comes with a zero Entry. Entries consumes the
// Body, so a second call yields nothing; it does not close the Resource.
// For any other Kind the sequence is empty.
func (r *Resource) Entries() iter.Seq2[Entry, error] {
	if r.Kind != Listing || r.Parse == nil {
		return func(func(Entry, error) bool) {}
	}
	return r.Parse(&listing{Reader: r.Body, most: cmp.Or(r.MaxListing, DefaultMaxListing)})
}

// DefaultMaxListing is the MaxListing, in bytes, of a Resource that has none.
const DefaultMaxListing = 256 << 20

// A listing is the Body of a Listing within its limit.
type listing struct {
	io.Reader
	count, most int64
}

func (l *listing) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.count += int64(n); l.most > 0 && l.count > l.most {
		return 0, fmt.Errorf("%w: a listing of more than %d bytes", ErrTooLarge, l.most)
	}
	return n, err
}

// SetBody is for Fetchers. It makes src the Body of r, and adds what every Body
// promises: bytes are counted for Received, a second Close does nothing, a Read
// after Close or after an error fails the same way again, and an error names
// the URL. A nil src is an empty Body. Unless Confirmed is set already, it will
// report whether src was read to its io.EOF.
func (r *Resource) SetBody(src io.ReadCloser) {
	b := &body{res: r, src: src}
	if r.Confirmed == nil {
		r.Confirmed = b.ended.Load
	}
	r.Body = b
}

// WrapBody is for Fetchers around another one. It puts the result of wrap in place of the
// source of the Body, so that bytes are counted once. If the source can lend what comes
// next to the system, by a method Lend, the result should pass that on.
func (r *Resource) WrapBody(wrap func(src io.ReadCloser) io.ReadCloser) {
	if b, ok := r.Body.(*body); ok && b.src != nil {
		b.src = wrap(b.src)
		return
	}
	r.SetBody(wrap(r.Body))
}

// A body is the Body of a Resource.
type body struct {
	res    *Resource
	src    io.ReadCloser
	err    error // what ended the reading
	ended  atomic.Bool
	closed atomic.Bool
	close  sync.Once

	done func(n int64, err error) // is told of the end; nil if nobody is
	told atomic.Bool
}

// whenDone has done be told once how reading the Body ended, after those who are told already;
// see Trace.BodyDone.
func (r *Resource) whenDone(done func(n int64, err error)) {
	b, ok := r.Body.(*body)
	if !ok {
		r.SetBody(r.Body)
		b = r.Body.(*body)
	}
	if first := b.done; first != nil {
		b.done = func(n int64, err error) { first(n, err); done(n, err) }
		return
	}
	b.done = done
}

// finish tells that the Body has ended with err, or is closed.
func (b *body) finish(err error) {
	if b.done == nil || b.told.Swap(true) {
		return
	}
	if err == io.EOF {
		err = nil
	}
	b.done(b.res.received.Load(), err)
}

func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed.Load():
		return 0, b.wrap(fs.ErrClosed)
	case b.err != nil:
		return 0, b.err
	case b.src == nil:
		b.err = io.EOF
		b.ended.Store(true)
		b.finish(io.EOF)
		return 0, io.EOF
	}
	n, err := b.src.Read(p)
	b.res.received.Add(int64(n))
	if err == io.EOF {
		b.ended.Store(true)
		b.err = err
	} else if err != nil {
		b.err = b.wrap(err)
	}
	if b.err != nil {
		b.finish(b.err)
	}
	return n, b.err
}

// wrap returns err as one of reading b. A connection that is reset has cut it short, and so
// has an alert of TLS.
func (b *body) wrap(err error) error {
	if (isReset(err) || isAlert(err)) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return NewError("read", b.res.URL, err)
}

// isReset reports whether err is that of a connection which was reset.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.ECONNABORTED)
}

func (b *body) Close() (err error) {
	b.closed.Store(true)
	b.close.Do(func() {
		if b.src == nil {
			b.finish(io.EOF)
			return
		}
		err = b.src.Close()
		b.finish(fs.ErrClosed)
	})
	return err
}
