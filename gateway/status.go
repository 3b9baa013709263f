package gateway

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// A problem is the reason why there is a page about it in place of a resource.
type problem struct {
	status  int
	reason  string
	subject string // the URL that it is about, without its password; "" if the page need not repeat it
	class   record.Class
	onward  string // an address of the gateway; "" if there is none
}

// bad returns the problem of a request that makes no sense.
func bad(reason string) *problem {
	return &problem{status: http.StatusBadRequest, reason: reason, class: record.ClassUsage}
}

// statuses are the statuses of HTTP for the classes of failures. A login is no 401: the browser
// would ask the user for a password that the gateway does not pass on.
var statuses = map[record.Class]int{
	record.ClassUsage:          http.StatusBadRequest,
	record.ClassMalformedURL:   http.StatusBadRequest,
	record.ClassUnknownScheme:  http.StatusBadRequest,
	record.ClassNotRetrievable: http.StatusNotImplemented,
	record.ClassResolve:        http.StatusBadGateway,
	record.ClassConnect:        http.StatusBadGateway,
	record.ClassTLS:            http.StatusBadGateway,
	record.ClassProtocol:       http.StatusBadGateway,
	record.ClassDenied:         http.StatusForbidden,
	record.ClassLogin:          http.StatusForbidden,
	record.ClassNotFound:       http.StatusNotFound,
	record.ClassTruncated:      http.StatusBadGateway,
	record.ClassWrite:          http.StatusInternalServerError,
	record.ClassRead:           http.StatusBadGateway,
	record.ClassTimeout:        http.StatusGatewayTimeout,
	record.ClassRange:          http.StatusRequestedRangeNotSatisfiable,
	record.ClassChanged:        http.StatusBadGateway,
	record.ClassRedirect:       http.StatusBadGateway,
	record.ClassTooLarge:       http.StatusBadGateway,
	record.ClassChecksum:       http.StatusBadGateway,
	record.ClassBlocked:        http.StatusForbidden,
	record.ClassDelete:         http.StatusInternalServerError,
	record.ClassCrash:          http.StatusInternalServerError,
	record.ClassCanceled:       http.StatusServiceUnavailable,
}

// problemOf returns the problem that an error is.
func problemOf(err error) *problem {
	class, _ := record.Classify(err)
	return &problem{status: statuses[class], reason: record.Text(err), class: class}
}

// setRange sets the size of the resource, if err is a range that begins behind it (RFC 9110,
// section 15.5.17).
func setRange(h http.Header, err error) {
	if outside, ok := errors.AsType[*fetchers.RangeError](err); ok {
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", outside.Size))
	}
}
