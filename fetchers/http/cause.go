package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

var errNoAnswer = fetchers.Temporary(errors.New("the server closed the connection before it answered"))

// cause adds the class of an error to err, unless err has one.
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
	case errors.As(err, &timeout) && timeout.Timeout(), isLost(err):
		return fmt.Errorf("%w: %w", fetchers.ErrStalled, err)
	case errors.As(err, &network):
		return err
	}
	return fmt.Errorf("%w: %w", fetchers.ErrProtocol, err) // net/http cannot parse the response
}

// isLost reports whether an HTTP/2 PING was not answered in time. net/http does not export this
// error.
func isLost(err error) bool { return strings.HasSuffix(err.Error(), "http2: client connection lost") }

// isClassed reports whether err has a class already.
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
