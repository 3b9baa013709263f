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
	case errors.As(err, &timeout) && timeout.Timeout(), isLost(err):
		return fmt.Errorf("%w: %w", fetchers.ErrStalled, err)
	case errors.As(err, &network):
		return err
	}
	return fmt.Errorf("%w: %w", fetchers.ErrProtocol, err) // what net/http could not read
}

// isLost reports whether a PING on a connection of HTTP/2 was not answered in time. The error
// of net/http has no name.
func isLost(err error) bool { return strings.HasSuffix(err.Error(), "http2: client connection lost") }

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
