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
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// exchange sends r, which was made by request, and again with the login that the server
// wants. The answer may be a refusal.
func (f *Fetcher) exchange(r *nethttp.Request) (*nethttp.Response, error) {
	for {
		resp, err := f.send(r)
		switch {
		case errors.Is(err, errChallenged):
		case err != nil:
			return nil, err
		case loginOf(r.Context()).goOn(resp) || hopOf(r.Context()).goOn(resp):
			discard(resp.Body)
		default:
			return resp, nil
		}
	}
}

// send sends r with the logins and the cookies of this time.
func (f *Fetcher) send(r *nethttp.Request) (*nethttp.Response, error) {
	a, ctx := newAttempt(r), r.Context()
	added := make(nethttp.Header) // for this time
	loginOf(ctx).sign(added, r.Method, r.URL.RequestURI())
	hopOf(ctx).sign(added, r, a.target)
	f.Jar.present(added, r)
	if len(added) > 0 {
		r = r.WithContext(ctx)
		r.Header = r.Header.Clone()
		maps.Copy(r.Header, added)
	}
	if err := sendable(r, a.target); err != nil {
		return nil, err
	}
	resp, err := f.roundTrip(r, a)
	if err == nil {
		if err = cmp.Or(f.checkVersion(resp), checkLength(resp), ctx.Err()); err != nil {
			resp.Body.Close()
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, failure(ctx, cause(err))
	}
	f.Jar.learn(resp)
	f.HSTS.learn(resp)
	if resp.Body != nethttp.NoBody {
		m := &message{ReadCloser: resp.Body, resp: resp, conn: a.conn.Load(), most: f.MaxDecoded}
		if resp.ProtoMajor == 2 {
			m.stall = f.Network.StallLimit()
		}
		resp.Body = m
	}
	told(resp)
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

var errNoAnswer = fetchers.Temporary(errors.New("the server closed the connection before it answered"))

// cause gives err the class that it lacks.
func cause(err error) error {
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
