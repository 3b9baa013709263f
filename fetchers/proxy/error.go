package proxy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// refusal returns the error for a reply that refuses the connection.
func refusal(code int, text string, class error) error {
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: code, Text: text}, Class: class}
}

// nonsense returns an ErrProtocol for an invalid reply.
func nonsense(format string, args ...any) error {
	return fmt.Errorf("%w: %s", fetchers.ErrProtocol, fmt.Sprintf(format, args...))
}

// plain returns err, or a readable error in place of io.EOF.
func plain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it closed the connection before it answered")
	}
	return err
}

// unreachable reports whether the proxy cannot reach this address, rather than forbids it.
func unreachable(err error) bool {
	var refused *fetchers.StatusError
	return errors.As(err, &refused) && !errors.Is(err, fs.ErrPermission)
}

// socks5Replies are the replies of RFC 1928, section 6, from 1 on.
var socks5Replies = []struct {
	text  string
	class error
}{
	{"general SOCKS server failure", nil},
	{"connection not allowed by ruleset", fs.ErrPermission},
	{"network unreachable", syscall.ENETUNREACH},
	{"host unreachable", syscall.EHOSTUNREACH},
	{"connection refused", syscall.ECONNREFUSED},
	{"TTL expired", syscall.EHOSTUNREACH},
	{"command not supported", nil},
	{"address type not supported", nil},
}
