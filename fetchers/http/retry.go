package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	nethttp "net/http"
	neturl "net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// do returns the answer to r, which was made by request, if it is no refusal.
func (f *Fetcher) do(r *nethttp.Request) (*nethttp.Response, error) {
	resp, refusal := f.exchange(r)
	if resp != nil && refusal != nil {
		discard(resp.Body)
		resp = nil
	}
	return resp, refusal
}

// exchange sends r, and again with the login that the server wants. An answer that
// is a refusal comes together with it; else there is one of them.
func (f *Fetcher) exchange(r *nethttp.Request) (*nethttp.Response, error) {
	for {
		resp, refusal := f.send(r)
		switch {
		case errors.Is(refusal, errChallenged):
		case resp != nil && (loginOf(r.Context()).goOn(resp) || hopOf(r.Context()).goOn(resp)):
			discard(resp.Body)
		default:
			return resp, refusal
		}
	}
}

// send sends r until there is an answer to keep, or no retry is left. Usually the Client
// repeats requests, and then r is sent once.
func (f *Fetcher) send(r *nethttp.Request) (resp *nethttp.Response, failure error) {
	if retry := fetchers.ContextRetry(r.Context()); retry.Max > 0 {
		resp, failure = f.repeat(r, retry)
	} else {
		resp, failure = bare{f}.RoundTrip(r)
		failure = judge(resp, failure)
	}
	if ctx := r.Context(); ctx.Err() != nil {
		failure = ctx.Err()
		if resp != nil {
			resp.Body.Close()
			resp = nil
		}
	}
	return resp, failure
}

// judge returns the failure that an answer or the lack of one is, if it is one.
func judge(resp *nethttp.Response, err error) error {
	if err != nil {
		return cause(err)
	}
	showLocation(resp)
	told(resp)
	return refusal(resp)
}

// repeat sends r until there is an answer to keep, or no retry is left. The library repeats
// the request; fetchers.Attempts decide when, how often and after which failures, as for
// every other protocol.
func (f *Fetcher) repeat(r *nethttp.Request, retry fetchers.Retry) (*nethttp.Response, error) {
	repeatable, err := retryablehttp.FromRequest(r)
	if err != nil {
		return nil, err
	}
	trace := fetchers.ContextTrace(r.Context())
	attempts := fetchers.ContextAttempts(r.Context())
	var (
		failure error
		wait    time.Duration
	)
	client := retryablehttp.Client{
		HTTPClient:   &nethttp.Client{Transport: bare{f}},
		RetryMax:     retry.Max,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		CheckRetry: func(ctx context.Context, resp *nethttp.Response, err error) (bool, error) {
			failure = judge(resp, err)
			if ctx.Err() != nil {
				return false, nil
			}
			var again bool
			wait, again = attempts.Again(failure)
			if again && resp != nil {
				discard(resp.Body) // the library would read it at the server's leisure
			}
			return again, nil
		},
		Backoff: func(_, _ time.Duration, _ int, _ *nethttp.Response) time.Duration {
			trace.Retry(attempts.Failed(), wait, failure)
			return wait
		},
	}
	resp, err := client.Do(repeatable)
	if err != nil && failure == nil {
		failure = cause(err)
	}
	if failure != nil {
		failure = attempts.Err(failure)
	}
	return resp, failure
}

// bare is the Transport without what would be done behind our back.
// The library calls CloseIdleConnections after every failure, whatever else the
// connections are used for; it is hidden because RoundTrip is all there is. A
// Client parses Location with net/url, to follow it, and fails where ours does
// not; it is hidden under a key that no header has.
type bare struct{ fetcher *Fetcher }

const hiddenLocation = ":location"

func (b bare) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	a, ctx := newAttempt(r), r.Context()
	added := make(nethttp.Header) // for this time
	loginOf(ctx).sign(added, r.Method, r.URL.RequestURI())
	hopOf(ctx).sign(added, r, a.target)
	b.fetcher.Jar.present(added, r)
	if len(added) > 0 {
		r = r.WithContext(ctx)
		r.Header = r.Header.Clone()
		maps.Copy(r.Header, added)
	}
	if err := sendable(r, a.target); err != nil {
		return nil, err
	}
	resp, err := b.fetcher.roundTrip(r, a)
	if err != nil {
		if err = cause(err); errors.Is(err, fetchers.ErrStalled) {
			err = fetchers.Temporary(err) // as the end of the connection before an answer is
		}
		return nil, err
	}
	if err := cmp.Or(b.fetcher.checkVersion(resp), checkLength(resp)); err != nil {
		resp.Body.Close()
		return nil, err
	}
	b.fetcher.Jar.learn(resp)
	b.fetcher.HSTS.learn(resp)
	if l := resp.Header["Location"]; l != nil {
		resp.Header[hiddenLocation] = l
		delete(resp.Header, "Location")
	}
	if resp.Body != nethttp.NoBody {
		m := &message{ReadCloser: resp.Body, resp: resp, conn: a.conn.Load(), most: b.fetcher.MaxDecoded}
		if resp.ProtoMajor == 2 {
			m.stall = b.fetcher.Network.StallLimit()
		}
		resp.Body = m
	}
	return resp, nil
}

// checkVersion returns an error if an answer says that it is of another version than is
// spoken on its connection, since what it says decides where its end is looked for.
func (f *Fetcher) checkVersion(resp *nethttp.Response) error {
	spoken := 1
	if resp.TLS != nil && resp.TLS.NegotiatedProtocol == http2 || resp.TLS == nil && !f.oneAtATime(resp.Request) {
		spoken = 2
	}
	if resp.ProtoMajor != spoken {
		return fmt.Errorf("%w: %s, where HTTP/%d is spoken", fetchers.ErrProtocol, resp.Proto, spoken)
	}
	return nil
}

// checkLength returns an error if a response by HTTP/2 has two lengths, of which net/http
// believes neither. RFC 9110, section 8.6: they may be told twice, but not differ.
func checkLength(resp *nethttp.Response) error {
	lengths := resp.Header["Content-Length"]
	for _, length := range lengths {
		if length != lengths[0] {
			return fmt.Errorf("%w: it has the lengths %.30q and %.30q", fetchers.ErrProtocol, lengths[0], length)
		}
	}
	return nil
}

func showLocation(resp *nethttp.Response) {
	if l := resp.Header[hiddenLocation]; l != nil {
		resp.Header["Location"] = l
		delete(resp.Header, hiddenLocation)
	}
}

var errNoAnswer = fetchers.Temporary(errors.New("the server closed the connection before it answered"))

// cause takes net/http's wrapping off an error, since it contains the URL, and
// gives the class to what has none.
func cause(err error) error {
	if err == nil {
		return nil
	}
	var wrapped *neturl.Error
	for errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var (
		timeout net.Error
		network *net.OpError
		other   tls.RecordHeaderError
		status  *fetchers.StatusError
	)
	switch {
	case errors.As(err, &other) && strings.HasPrefix(string(other.RecordHeader[:]), "HTTP/"):
		return fetchers.TLS(nethttp.ErrSchemeMismatch)
	case isClassed(err), errors.As(err, &status):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errNoAnswer
	case errors.As(err, &timeout) && timeout.Timeout(), strings.HasSuffix(err.Error(), lost):
		return fmt.Errorf("%w: %w", fetchers.ErrStalled, err)
	case errors.As(err, &network):
		return err
	}
	return fmt.Errorf("%w: %w", fetchers.ErrProtocol, err) // what net/http could not read
}

// lost ends the words of net/http for a connection of HTTP/2 on which a PING was not
// answered in time. The error has no name.
const lost = "http2: client connection lost"

// isClassed reports whether err says already what went wrong.
func isClassed(err error) bool {
	for _, class := range []error{
		context.Canceled, context.DeadlineExceeded, fetchers.ErrStalled, fetchers.ErrTemporary, fetchers.ErrBlocked, fetchers.ErrProtocol, fetchers.ErrProxy, fetchers.ErrTLS, errUnsendable,
	} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}
