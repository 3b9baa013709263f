package http

import (
	"context"
	"errors"
	nethttp "net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// go-retryablehttp decides which failures are temporary. The requests are repeated by the Client of
// package fetchers, as for every protocol; the library itself would keep a response open while it
// waits, and follow redirections. Each correction of its decision is documented by the exchange
// that shows the fault.

// mayPass reports whether a request that was refused with status may succeed later.
//
//	C: GET / HTTP/1.1
//	S: HTTP/1.1 408 Request Timeout      the library gives up; RFC 9110, section 15.5.9, allows a repetition
//	S: HTTP/1.1 421 Misdirected Request  the library gives up; RFC 9110, section 15.5.20, allows a repetition over another connection
//	S: HTTP/1.1 425 Too Early            the library gives up; RFC 8470, section 5.2, asks for a repetition
//	S: HTTP/1.1 505 Version Not Supported  the library repeats; nothing changes for the same request
//
// No status above 504 means a busy server: a 507 needs a larger disk, and a 511 a login to the
// network.
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

// failure marks err, with which a request ended without a response, as temporary if the request may
// succeed later. The library repeats after every failure, including
//
//	C: (connects to 127.0.0.1, which the Network forbids)
//	S: HTTP/2.0 200 OK                   by HTTP/1.1, which is no answer at all
//
// except for some errors of certificates and URLs. A network failure got its class where it
// occurred; the stall of a server remains.
func failure(ctx context.Context, err error) error {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	if again && errors.Is(err, fetchers.ErrStalled) {
		return fetchers.Temporary(err)
	}
	return err
}
