package http

import (
	"context"
	"errors"
	nethttp "net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// go-retryablehttp says which failures may pass. The Client of package fetchers makes the requests again, as it does for every
// protocol; the library would keep a refusal open while it waits, and go on after a
// redirection by itself. Where its judgement is corrected, the exchange that showed the
// fault stands beside the correction.

// mayPass reports whether a request may succeed later that a server has refused with a
// status.
//
//	C: GET / HTTP/1.1
//	S: HTTP/1.1 408 Request Timeout      the library gives up; RFC 9110, section 15.5.9, allows a repetition
//	S: HTTP/1.1 421 Misdirected Request  the library gives up; RFC 9110, section 15.5.20, allows a repetition over another connection
//	S: HTTP/1.1 425 Too Early            the library gives up; RFC 8470, section 5.2, asks for a repetition
//	S: HTTP/1.1 505 Version Not Supported  the library repeats; nothing changes for the same request
//
// Of the statuses above 504 none is of a server that is busy: 507 needs a larger disk and
// 511 a login to the network.
func mayPass(status int) bool {
	switch {
	case status == nethttp.StatusRequestTimeout || status == nethttp.StatusTooEarly || status == nethttp.StatusMisdirectedRequest:
		return true
	case status > nethttp.StatusGatewayTimeout:
		return false
	}
	again, _ := retryablehttp.DefaultRetryPolicy(context.Background(), &nethttp.Response{StatusCode: status}, nil)
	return again
}

// failure marks err, with which a request has ended without an answer, as temporary if the
// request may succeed later. The library takes every failure for one that passes, also
//
//	C: (connects to 127.0.0.1, which the Network forbids)
//	S: HTTP/2.0 200 OK                   by HTTP/1.1, which is no answer at all
//
// but for some of certificates and of URLs. A failure of the network has its class from the
// place where it happened; that leaves the silence of a server.
func failure(ctx context.Context, err error) error {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	if again && errors.Is(err, fetchers.ErrStalled) {
		return fetchers.Temporary(err)
	}
	return err
}
