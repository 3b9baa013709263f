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

// A Resource is the result of a fetch.
type Resource struct {
	// URL is the URL of the Body, after any redirection.
	URL  *url.URL
	Kind Kind

	// Reply is the last reply of the server, in protocols that have one. If there is another one
	// after the Body, Reply has it once the Body has ended.
	Reply Reply

	// Refusal is the refusal that Body belongs to, if the Request has NoFail, and otherwise nil.
	// With NoFollow, it may be that of a redirection. A Client repeats the request after a
	// temporary Refusal as it does after an error, and returns the last Resource.
	Refusal *StatusError

	MediaType string // as declared or implied by the protocol; "" if neither
	Name      string // file name that the server suggests; not a safe name
	Size      int64  // of the whole resource, not of Range, in bytes; -1 if unknown
	Validator Validator
	Range     Range // range of Body; Offset is 0 unless the server honoured Request.Range
	Header    textproto.MIMEHeader

	// RemoteAddr is the address of the server, or of the proxy that answered for it; nil without a
	// connection. TLS is the state of the connection, or nil without TLS. It is shared, and must
	// not be changed.
	RemoteAddr net.Addr
	TLS        *tls.ConnectionState

	// LocalAddr is the local address of the connection; nil if the protocol does not report it.
	LocalAddr net.Addr

	// Streams is how many requests the connection of this Resource carries at once (HTTP/2). It is
	// 0 if the connection carries one request at a time.
	Streams int

	Location *url.URL                    // for Redirect; nil only with Request.NoFollow
	Leads    func(scheme string) bool    // for Redirect: whether it may lead to a scheme that is not for all; nil means to none
	Upgrade  bool                        // for Redirect: made by the Fetcher, and not by a server, for the same URL over TLS
	Query    func(words string) *url.URL // for Index: returns the URL of the answer to words; a Body describes the Index, and has a MediaType
	Session  *SessionHint                // for Session

	// Body is never nil. Read returns io.EOF only if the server confirmed, as far as its protocol
	// allows, that everything was sent; a truncated transfer ends in io.ErrUnexpectedEOF. Closing
	// before the end ends the transfer, even during a Read. Closing after the end allows the
	// connection to be used again.
	Body io.ReadCloser

	// Parse parses the entries of Body. Fetchers set it for Listings; callers use Entries.
	Parse func(body io.Reader) iter.Seq2[Entry, error]

	// MaxListing is how many bytes of Body Entries reads before it ends in ErrTooLarge: 0 means
	// DefaultMaxListing, less than 0 no limit. A listing may be endless.
	MaxListing int64

	// Confirmed reports, after the Body was read to its end, whether the protocol confirmed that
	// this was the end. It returns false if the protocol cannot (plain gopher, HTTP/1.0 without a
	// length).
	Confirmed func() bool

	received atomic.Int64
}

// A Reply is a status line: a number and the text of the server.
type Reply struct {
	Proto string // of HTTP, as "HTTP/1.1"; "" in other protocols
	Code  int
	Text  string
}

// An Entry is one line of a Listing.
type Entry struct {
	// URL is the URL that the entry leads to, absolute and ready to fetch. It is nil for plain
	// text.
	URL  *url.URL
	Name string // name that the server shows, unchanged
	Kind Kind   // expected Kind of URL, if the server shows it

	MediaType string
	Size      int64 // -1 if unknown
	ModTime   time.Time
	DateOnly  bool   // ModTime is a day: the server shows no time of day
	Title     string // title, if the server has one beside the Name
	Author    string // of an article: name and address, decoded
	Score     int    // WAIS relevance, 1 to 1000; 0 elsewhere

	// Attributes holds further properties from the server, such as "unix.mode". A symbolic link has
	// "unix.link", which is its target, or "" if the server does not show it; on Windows it has
	// "dos.link".
	Attributes map[string]string

	// Sys is the protocol's own record of the entry, such as a gopher.Item or an nntp.Overview.
	Sys any
}

// Target returns the target of a symbolic link as the server writes it, or "" if e is no link or
// the server does not show the target.
func (e Entry) Target() string { return cmp.Or(e.Attributes["unix.link"], e.Attributes["dos.link"]) }

// A SessionHint describes how to reach an interactive service.
type SessionHint struct {
	Service string     // "telnet", "telnets", "rlogin", "tn3270", or "cso" for a phone book
	Addr    string     // host:port
	Login   Credential // suggested login for the person who logs in; never sent

	// Dial opens the session, which ends with ctx. It is nil if only another program can, or the
	// Fetcher of the scheme of the Service.
	//
	// The result may have two more methods: Resize(width, height int) error sets the size of the
	// terminal, and Echoes() bool reports whether the service echoes its input.
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)
}

// Close closes the Body. It may be called more than once.
func (r *Resource) Close() error {
	if r == nil || r.Body == nil {
		return nil
	}
	return r.Body.Close()
}

// discard closes r. It first reads the rest of a short Body, if the rest arrives at once, so that
// the connection can be used again.
func (r *Resource) discard() {
	late := time.AfterFunc(time.Second, func() { r.Close() })
	defer late.Stop()
	io.CopyN(io.Discard, r.Body, 16<<10)
	r.Close()
}

// Received returns the number of bytes read from the Body so far.
// It may be called while another goroutine is reading.
func (r *Resource) Received() int64 { return r.received.Load() }

// Entries parses the entries of a Listing from the Body, in the server's order. An error ends the
// sequence and has a zero Entry. Entries consumes the Body, so that a second call yields nothing;
// it does not close the Resource. For any other Kind the sequence is empty.
func (r *Resource) Entries() iter.Seq2[Entry, error] {
	if r.Kind != Listing || r.Parse == nil {
		return func(func(Entry, error) bool) {}
	}
	return r.Parse(&listing{Reader: r.Body, most: cmp.Or(r.MaxListing, DefaultMaxListing)})
}

// DefaultMaxListing is the default of Resource.MaxListing, in bytes.
const DefaultMaxListing = 256 << 20

// A listing is the Body of a Listing with its limit.
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

// SetBody is for Fetchers. It makes src the Body of r, and adds the guarantees of a Body: Received
// counts its bytes, a second Close does nothing, a Read after Close or after an error fails again
// in the same way, and an error contains the URL. A nil src is an empty Body. Unless Confirmed is
// already set, it will report whether src was read to its io.EOF.
func (r *Resource) SetBody(src io.ReadCloser) {
	b := &body{res: r, src: src}
	if r.Confirmed == nil {
		r.Confirmed = b.ended.Load
	}
	r.Body = b
}

// WrapBody is for Fetchers that wrap another one. It replaces the source of the Body by the result
// of wrap; Received counts its bytes once. If the source is a Lender, the result should pass on
// Lend.
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
	err    error // first read error
	ended  atomic.Bool
	closed atomic.Bool
	close  sync.Once

	done func(n int64, err error) // called at the end; may be nil
	told atomic.Bool
}

// whenDone makes done be called once when the Body ends, after functions set earlier; see
// Trace.BodyDone.
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

// finish reports that the Body has ended with err, or was closed.
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

// wrap returns err as a read error of b. A reset connection and a TLS alert truncate the Body.
func (b *body) wrap(err error) error {
	if (isReset(err) || isAlert(err)) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return NewError("read", b.res.URL, err)
}

// isReset reports whether err means that the connection was reset.
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
