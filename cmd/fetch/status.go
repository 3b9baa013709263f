package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	nethttp "net/http"
	"os"
	"strings"
	"syscall"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/url"
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// inputError is a list of URLs that cannot be read.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// writeError is output that cannot be written.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// status returns the exit status of the whole run: that of the first failure.
func (a *app) status(err error) int {
	if err = a.failure(err); err == nil {
		return 0
	}
	code, _ := classify(err)
	return code
}

// failure returns the first failure of a job, or else err.
func (a *app) failure(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cmp.Or(a.first, err)
}

// classify returns the exit status for a failure, which is curl's where curl has
// one, and the name of its class in records.
func classify(err error) (code int, class string) {
	var (
		usage     usageError
		input     inputError
		write     writeError
		file      *download.FileError
		malformed *url.Error
		about     *fetchers.Error
		status    *fetchers.StatusError
		dns       *net.DNSError
		untrusted *tls.CertificateVerificationError
		network   *net.OpError
		timeout   net.Error
	)
	scheme := ""
	if errors.As(err, &about) {
		scheme, _, _ = strings.Cut(about.URL, ":")
	}
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case errors.As(err, &usage):
		return 2, "usage"
	case is(context.Canceled): // also while something was being opened
		return 130, "canceled"
	case errors.As(err, &input):
		return 26, "read"
	case errors.As(err, &write), errors.As(err, &file):
		return 23, "write"
	case is(download.ErrChecksum), is(download.ErrNoSum), is(message.ErrChecksum):
		return 91, "checksum"
	case is(fetchers.ErrUnknownScheme):
		return 1, "unknown-scheme"
	case is(fetchers.ErrNotRetrievable):
		return 4, "not-retrievable"
	case is(fetchers.ErrRedirect):
		return 47, "redirect"
	case is(fetchers.ErrBlocked):
		return 92, "blocked"
	case errors.As(err, &malformed):
		return 3, "malformed-url"
	case errors.As(err, &dns) && is(fetchers.ErrProxy):
		return 5, "resolve"
	case errors.As(err, &dns):
		return 6, "resolve"
	case is(fetchers.ErrStalled), is(context.DeadlineExceeded), is(os.ErrDeadlineExceeded):
		return 28, "timeout"
	case errors.As(err, &untrusted):
		return 60, "tls"
	case is(fetchers.ErrTLS):
		return 35, "tls"
	case is(fetchers.ErrProxy) && errors.As(err, &status) && status.Code == nethttp.StatusProxyAuthRequired:
		return 67, "login"
	case is(fetchers.ErrProxy):
		return 7, "connect"
	case is(fetchers.ErrTooLarge):
		return 63, "too-large"
	case is(fetchers.ErrChanged):
		return 33, "changed"
	case is(fetchers.ErrRange): // a 416 too
		return 33, "range"
	case errors.As(err, &status) && status.Code >= 400 && (scheme == "http" || scheme == "https"):
		return 22, httpClass(status.Class)
	case is(fetchers.ErrLogin):
		return 67, "login"
	case is(io.ErrUnexpectedEOF) && !is(syscall.ECONNRESET) && !is(syscall.ECONNABORTED): // for which curl has 56
		return 18, "truncated"
	case is(fs.ErrNotExist):
		return 78, "not-found"
	case is(fs.ErrPermission):
		return 9, "denied"
	case is(fetchers.ErrCoding):
		return 61, "protocol"
	case scheme == "file":
		return 37, "read"
	case is(fetchers.ErrProtocol), is(message.ErrMalformed), is(errNoIndex), errors.As(err, &status):
		return 8, "protocol"
	case is(syscall.ECONNREFUSED), errors.As(err, &network) && network.Op == "dial":
		return 7, "connect"
	case errors.As(err, &timeout) && timeout.Timeout():
		return 28, "timeout"
	}
	return 56, "read"
}

// httpClass names the class of an HTTP status.
func httpClass(class error) string {
	switch class {
	case fs.ErrNotExist:
		return "not-found"
	case fs.ErrPermission:
		return "denied"
	case fetchers.ErrLogin:
		return "login"
	}
	return "protocol"
}
