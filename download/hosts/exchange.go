package hosts

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An exchange is a request to a host, up to the end of its body.
type exchange struct {
	fetcher *Fetcher
	host    *host
	context context.Context
	url     *url.URL
	own     bool // the URL is at the host itself, rather than at the target of a redirection
	began   time.Time
	outcome share.Outcome // without Octets
	octets  atomic.Int64  // of the body; Close may be called during a read
	once    sync.Once
}

// answered records the response of an exchange. Its end is that of the body, if there is one.
func (x *exchange) answered(res *fetchers.Resource, err error) {
	x.outcome.Answer = time.Since(x.began)
	if err != nil {
		x.end(err)
		return
	}
	x.carried(res)
	x.replied(&x.outcome, res.Reply.Code) // with NoFail, an error too
	switch res.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
		res.WrapBody(func(src io.ReadCloser) io.ReadCloser { return &transfer{exchange: x, src: src} })
	default: // without a body
		x.end(nil)
	}
}

// carried records whether a response shared its connection with others (HTTP/2). The host has room
// for streams only while all its responses share a connection: otherwise as many connections might
// be opened, to this host or to the target of a redirection.
func (x *exchange) carried(res *fetchers.Resource) {
	elsewhere := res.Kind == fetchers.Redirect && res.Location != nil && !res.Location.SameOrigin(x.url)
	x.fetcher.mu.Lock()
	defer x.fetcher.mu.Unlock()
	h := x.host
	if res.Streams == 0 || !x.own || elsewhere {
		h.apart = true
	}
	h.streams = res.Streams
	if h.apart {
		h.streams = 0
	}
}

// end records the outcome of the exchange, with its error or nil. Only the first call counts.
func (x *exchange) end(err error) {
	x.once.Do(func() {
		o := x.outcome
		o.Took, o.Octets = time.Since(x.began), x.octets.Load()
		x.fetcher.mu.Lock()
		o.Streams = x.host.streams
		x.fetcher.mu.Unlock()
		var status *fetchers.StatusError
		switch {
		case err == nil:
		case x.context.Err() != nil:
			x.fetcher.ended(x.host, nil)
			return
		case errors.As(err, &status):
			o.Bare = true
			x.replied(&o, status.Code)
		case broken(err):
			o.Reset = true
		default:
			o.Answer = 0 // the failure is not from the host
		}
		x.fetcher.ended(x.host, &o)
	})
}

// replied records the code of a response. A server error, such as 502, is no measure of the
// server's load or speed.
func (x *exchange) replied(o *share.Outcome, code int) {
	o.Refused = refusal(x.url.Scheme, code)
	if !strings.HasPrefix(x.url.Scheme, "http") || code < 400 {
		return
	}
	o.Bare = true
	if code >= 500 && !o.Refused {
		o.Answer = 0
	}
}

// refusal reports whether a code means that the server is overloaded.
func refusal(scheme string, code int) bool {
	switch scheme {
	case "http", "https":
		return code == 429 || code == 503 // RFC 6585, section 4; RFC 9110, section 15.6.4
	case "ftp", "ftps":
		return code == 421 // RFC 959, section 4.2.1: servers send it for too many logins
	case "nntp", "nntps", "news", "snews":
		return code == 400 // RFC 3977, section 3.2.1.1
	case "dict":
		return code == 420 // RFC 2229, section 2.4
	}
	return false
}

// broken reports whether a connection could not be made, or was cut off.
func broken(err error) bool {
	var unresolved *net.DNSError
	switch {
	case errors.As(err, &unresolved), errors.Is(err, fetchers.ErrStalled), errors.Is(err, os.ErrDeadlineExceeded):
		return false
	}
	return errors.Is(err, fetchers.ErrTemporary) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// A transfer is the body of an exchange. Its end is the end of the exchange.
type transfer struct {
	exchange *exchange
	src      io.ReadCloser
}

func (t *transfer) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	t.exchange.octets.Add(int64(n))
	switch {
	case err == io.EOF:
		t.exchange.end(nil)
	case err != nil:
		t.exchange.end(err)
	}
	return n, err
}

// Close ends the exchange. If the body has not ended, the exchange has no outcome.
func (t *transfer) Close() error {
	err := t.src.Close()
	x := t.exchange
	x.once.Do(func() { x.fetcher.ended(x.host, nil) })
	return err
}

var _ fetchers.Lender = (*transfer)(nil)

// Lend calls Lend of the source, if it is a Lender.
func (t *transfer) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	l, ok := t.src.(fetchers.Lender)
	if !ok {
		return 0
	}
	n := l.Lend(most, use)
	t.exchange.octets.Add(n)
	return n
}
