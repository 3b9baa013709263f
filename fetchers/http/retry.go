package http

import (
	"context"
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
		HTTPClient:   &nethttp.Client{Transport: keepIdle{f.start().Transport}, CheckRedirect: f.start().CheckRedirect},
		RetryMax:     patience.Max,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
		CheckRetry: func(ctx context.Context, resp *nethttp.Response, err error) (bool, error) {
			tries++
			if failure = cause(err); err == nil {
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

// keepIdle hides CloseIdleConnections, which the library calls after every
// failure, whatever else the connections are used for.
type keepIdle struct{ nethttp.RoundTripper }

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
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, fetchers.ErrStalled), errors.Is(err, fetchers.ErrTemporary), errors.Is(err, fetchers.ErrBlocked):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fetchers.Temporary(errors.New("the server closed the connection before it answered"))
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %w", fetchers.ErrStalled, err)
	}
	return err
}
