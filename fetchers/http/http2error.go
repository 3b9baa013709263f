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

// maxClosing limits how long net/http may take to close a connection that has failed.
const maxClosing = time.Second

// closeReason returns the reason why c was closed, if it is known, and otherwise err. net/http may report
// only that a write failed or that a new connection is unusable; a TLS alert of the server is then
// still readable from the connection.
func closeReason(c *framed, err error) error {
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
	case <-c.gone: // net/http no longer reads from it
	case <-time.After(maxClosing):
		return err
	}
	_, alert := c.Conn.Read(make([]byte, 1))
	if alert == nil || isEnd(alert) || errors.Is(alert, net.ErrClosed) {
		return err
	}
	return alert
}

// goneAway is the prefix of the net/http error for an HTTP/2 connection that ended after a GOAWAY
// that leaves open whether the server processed the request. net/http does not export the error.
const goneAway = "http2: server sent GOAWAY and closed the connection"

// connectionError matches the net/http errors for an HTTP/2 connection that has ended or cannot be
// used, which net/http does not export. An error of a single stream leaves its connection open.
var connectionError = regexp.MustCompile(`^(http2: client conn|http2: server sent GOAWAY|http2: Transport received .*GOAWAY|connection error: |tls: )`)

// ofConnection reports whether err may mean that the HTTP/2 connection of a request has ended.
func ofConnection(err error) bool {
	return isEnd(err) || errors.Is(err, net.ErrClosed) || errors.As(err, new(*net.OpError)) || connectionError.MatchString(err.Error())
}

// goneError matches the net/http errors for a request that the server did not process because its
// HTTP/2 connection was closing.
var goneError = regexp.MustCompile(`^http2: (client conn not usable|client conn could not be established|client conn is closed|client connection force closed via ClientConn\.Close|Transport received Server's graceful shutdown GOAWAY)$`)

// isGone reports whether the request must be sent over another HTTP/2 connection.
func isGone(err error) bool { return err != nil && goneError.MatchString(err.Error()) }

// isDead reports whether the connection of a request has ended or no longer answers PING.
func isDead(err error) bool { return isEnd(err) || isLost(err) }

// A streamError has the form of the StreamError of net/http, which errors.As converts to it.
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

// hasCode reports whether err is an RST_STREAM with code.
func hasCode(err error, code uint32) bool {
	var reset streamError
	return errors.As(err, &reset) && reset.Code == code
}

// isRefused reports whether the server refused a single request, while the connection stays usable.
func isRefused(err error) bool {
	var reset streamError
	return errors.As(err, &reset) && (reset.Code == refusedStream || reset.Code == protocolError && reset.Cause != nil)
}
