package main

import (
	"context"
	"errors"
	nethttp "net/http"
	"net/http/httputil"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// newProxy returns the Handler of a forward proxy, which fetches URLs with f.
//
// The ReverseProxy of the standard library removes the fields of a connection, copies the body, and
// breaks off the response if the body breaks off, so that no cut body is taken for whole.
func newProxy(f fetchers.Fetcher) nethttp.Handler {
	proxy := &httputil.ReverseProxy{
		Transport: &http.FetcherTransport{Fetcher: f},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.RawQuery = r.In.URL.RawQuery // ReverseProxy would remove a query that is no form
			r.Out.Header.Add("Via", via)
		},
		ModifyResponse: func(r *nethttp.Response) error {
			r.Header.Add("Via", via)
			if r.Header.Get("Content-Type") == "" {
				r.Header["Content-Type"] = nil // or the server would guess one
			}
			return nil
		},
		ErrorHandler: func(w nethttp.ResponseWriter, _ *nethttp.Request, err error) {
			nethttp.Error(w, err.Error(), status(err)) // the error names the URL without its password
		},
	}
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch {
		case r.Method != "GET" && r.Method != "HEAD":
			w.Header().Set("Allow", "GET, HEAD")
			nethttp.Error(w, "this proxy fetches, and does nothing else", nethttp.StatusMethodNotAllowed)
		case !r.URL.IsAbs():
			nethttp.Error(w, "this is a proxy, and no server", nethttp.StatusBadRequest)
		default:
			proxy.ServeHTTP(w, r)
		}
	})
}

// via names the proxy (RFC 9110, section 7.6.3).
const via = "1.1 proxyhandler"

// status returns the status for a URL that has not been answered.
func status(err error) int {
	switch {
	case errors.As(err, new(*url.Error)):
		return nethttp.StatusBadRequest
	case errors.Is(err, fetchers.ErrBlocked):
		return nethttp.StatusForbidden
	case errors.Is(err, fetchers.ErrUnknownScheme), errors.Is(err, fetchers.ErrNotRetrievable):
		return nethttp.StatusNotImplemented
	case errors.Is(err, fetchers.ErrStalled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return nethttp.StatusGatewayTimeout
	}
	return nethttp.StatusBadGateway
}
