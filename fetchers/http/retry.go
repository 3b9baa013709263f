package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	neturl "net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// do sends r until there is an answer to keep, or no patience is left. The
// library repeats the request; when, how often and for which failures is decided
// by fetchers.Retry, as for every other protocol.
func (f *Fetcher) do(r *nethttp.Request) (*nethttp.Response, error) {
	ctx := r.Context()
	patience := fetchers.ContextRetry(ctx)
	trace := fetchers.ContextTrace(ctx)
	tries := 0
	var failure error
	client := retryablehttp.Client{
		HTTPClient:   &nethttp.Client{Transport: bare{f.start()}},
		RetryMax:     patience.Max,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		CheckRetry: func(ctx context.Context, resp *nethttp.Response, err error) (bool, error) {
			tries++
			if failure = cause(err); err == nil {
				showLocation(resp)
				told(resp)
				failure = refusal(resp)
			}
			_, again := patience.Wait(tries, failure)
			return again && ctx.Err() == nil, nil
		},
		Backoff: func(_, _ time.Duration, _ int, _ *nethttp.Response) time.Duration {
			wait, _ := patience.Wait(tries, failure)
			trace.Retry(tries, wait, failure)
			return wait
		},
	}
	repeatable, err := retryablehttp.FromRequest(r)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(repeatable)
	switch {
	case ctx.Err() != nil:
		failure = ctx.Err()
	case err != nil && failure == nil:
		failure = cause(err)
	}
	if failure == nil {
		return resp, nil
	}
	if resp != nil {
		resp.Body.Close()
	}
	if tries > 1 {
		failure = &fetchers.TriedError{Tries: tries, Err: failure}
	}
	return nil, failure
}

// bare is a Transport without what would be done behind our back. The library
// calls CloseIdleConnections after every failure, whatever else the connections
// are used for; it is hidden because RoundTrip is all there is. A Client parses
// Location with net/url, to follow it, and fails where ours does not; it is hidden
// under a key that no header has.
type bare struct{ transport *nethttp.Transport }

const hiddenLocation = ":location"

func (b bare) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	resp, err := b.transport.RoundTrip(r)
	if err == nil && resp.Header["Location"] != nil {
		resp.Header[hiddenLocation] = resp.Header["Location"]
		delete(resp.Header, "Location")
	}
	return resp, err
}

func showLocation(resp *nethttp.Response) {
	if l := resp.Header[hiddenLocation]; l != nil {
		resp.Header["Location"] = l
		delete(resp.Header, hiddenLocation)
	}
}

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
		timeout   net.Error
		network   *net.OpError
		untrusted *tls.CertificateVerificationError
		alert     tls.AlertError
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, fetchers.ErrStalled), errors.Is(err, fetchers.ErrTemporary), errors.Is(err, fetchers.ErrBlocked):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fetchers.Temporary(errors.New("the server closed the connection before it answered"))
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %w", fetchers.ErrStalled, err)
	case errors.As(err, &network), errors.As(err, &untrusted), errors.As(err, &alert), errors.Is(err, nethttp.ErrSchemeMismatch):
		return err
	}
	return fmt.Errorf("%w: %w", fetchers.ErrProtocol, err) // what net/http could not read
}
