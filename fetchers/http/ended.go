package http

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxClosing is how long net/http may take to close a connection that it gives up.
const maxClosing = time.Second

// ended returns the reason for which c was closed, if it is known, and otherwise err. net/http
// may notice first that nothing more can be sent, or that a new connection is of no use, and
// say no more; but TLS keeps the alert that ended it.
func ended(c *framed, err error) error {
	switch {
	case strings.HasPrefix(err.Error(), goneAway):
		return fetchers.Temporary(err)
	case c.Ended():
		return errNoAnswer
	}
	if timeout := net.Error(nil); c.TLS() == nil || errors.Is(err, fetchers.ErrStalled) || !ofConnection(err) || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	select {
	case <-c.gone: // so that nobody else is reading
	case <-time.After(maxClosing):
		return err
	}
	_, alert := c.Conn.Read(make([]byte, 1))
	if alert == nil || isEnd(alert) || errors.Is(alert, net.ErrClosed) {
		return err
	}
	return alert
}

// goneAway begins the error of net/http for a connection of HTTP/2 that has ended, also in
// order, after a GOAWAY by which the server may have processed the request. It has no name.
const goneAway = "http2: server sent GOAWAY and closed the connection"

// connectionError matches the errors of net/http for a connection of HTTP/2 that has ended or
// cannot be used. They have no names. An error of one request leaves its connection open.
var connectionError = regexp.MustCompile(`^(http2: client conn|http2: server sent GOAWAY|http2: Transport received .*GOAWAY|connection error: |tls: )`)

// ofConnection reports whether a request by HTTP/2 may have failed with err because its
// connection has ended.
func ofConnection(err error) bool {
	return isEnd(err) || errors.Is(err, net.ErrClosed) || errors.As(err, new(*net.OpError)) || connectionError.MatchString(err.Error())
}

// goneError matches the errors of net/http for a request that was not processed, as its
// connection of HTTP/2 has come to its end.
var goneError = regexp.MustCompile(`^http2: (client conn not usable|client conn could not be established|client conn is closed|client connection force closed via ClientConn\.Close|Transport received Server's graceful shutdown GOAWAY)$`)

// isGone reports whether a request is to be sent over another connection of HTTP/2.
func isGone(err error) bool { return err != nil && goneError.MatchString(err.Error()) }

// isDead reports whether the connection of a request has ended, or answers PING no more.
func isDead(err error) bool { return isEnd(err) || isLost(err) }

// A streamError is the StreamError of the HTTP/2 of net/http, which has this form for
// errors.As.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return fmt.Sprintf("RST_STREAM with code %d", e.Code) }

// REFUSED_STREAM and PROTOCOL_ERROR (RFC 9113, section 7). Some servers send the latter for
// more streams than they allow (golang/go#47635).
const (
	protocolError = 1
	refusedStream = 7
)

// hasCode reports whether err is the end of a stream with a code.
func hasCode(err error, code uint32) bool {
	var reset streamError
	return errors.As(err, &reset) && reset.Code == code
}

// isRefused reports whether a server has refused a request on a connection that goes on.
func isRefused(err error) bool {
	var reset streamError
	return errors.As(err, &reset) && (reset.Code == refusedStream || reset.Code == protocolError && reset.Cause != nil)
}
