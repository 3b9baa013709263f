package fetchers

import (
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// Errors that a caller may want to tell apart, with errors.Is.
// What is missing is fs.ErrNotExist and what is forbidden fs.ErrPermission,
// whichever protocol said so. What ended too early is io.ErrUnexpectedEOF. A
// malformed URL is a *url.Error, found with errors.As.
var (
	ErrUnknownScheme  = errors.New("unknown scheme")
	ErrNotRetrievable = errors.New("not retrievable")
	ErrLogin          = errors.New("login required") // Client asks its Keychain
	ErrBlocked        = errors.New("blocked by policy")
	ErrTemporary      = errors.New("temporary failure") // Client may try again
	ErrRedirect       = errors.New("redirection not followed")
	ErrProtocol       = errors.New("reply makes no sense")
	ErrRange          = errors.New("range not served")
	ErrChanged        = errors.New("resource changed") // since the copy at hand, or while it was read
	ErrCoding         = errors.New("content coding")   // unknown, broken or beyond a limit
	ErrStalled        = errors.New("stalled")
	ErrProxy          = errors.New("proxy") // what went wrong at or before a proxy; see ProxyError
	ErrTLS            = errors.New("TLS")   // no agreement, or an alert; an untrusted certificate is a *tls.CertificateVerificationError too
)

// An Error says which operation failed on which URL, and why.
type Error struct {
	Op  string // "parse", "connect", "login", "fetch", "read", "list"
	URL string // never with its password
	Err error
}

// NewError returns an Error about u. If err is one already, it is returned as
// it is, so that the first to know the URL is the one who names it. An alert of TLS in
// err becomes an ErrTLS.
func NewError(op string, u *url.URL, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	if isAlert(err) {
		err = TLS(err)
	}
	return &Error{Op: op, URL: u.Redacted(), Err: err}
}

func (e *Error) Error() string {
	if e.URL == "" {
		return e.Op + ": " + e.Err.Error()
	}
	return e.Op + " " + e.URL + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary marks err as an ErrTemporary and leaves its words alone.
func Temporary(err error) error { return temporaryError{err} }

type temporaryError struct{ error }

func (e temporaryError) Is(target error) bool { return target == ErrTemporary }
func (e temporaryError) Unwrap() error        { return e.error }

// TLS marks err as an ErrTLS and leaves its words alone.
func TLS(err error) error {
	if errors.Is(err, ErrTLS) {
		return err
	}
	return tlsError{err}
}

type tlsError struct{ error }

func (e tlsError) Is(target error) bool { return target == ErrTLS }
func (e tlsError) Unwrap() error        { return e.error }

// isAlert reports whether there is in err a TLS alert, sent or received, or a record that is
// not TLS. The type of an alert is not exported by crypto/tls but for QUIC;
// that of what it is wrapped in is, and no other package uses these operations. In TLS 1.3
// an alert about the client's certificate comes only after the handshake.
func isAlert(err error) bool {
	var (
		op     *net.OpError
		record tls.RecordHeaderError
	)
	return errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") || errors.As(err, &record)
}

// A ProxyError says what went wrong at which proxy, and is an ErrProxy. If Err is
// a StatusError, that is the proxy's refusal, whose class is fs.ErrPermission if
// the proxy does not want us, or what we ask for; it is never ErrLogin, for which a
// Client would offer the password that is for the server. If there is a
// *net.DNSError in Err, the proxy's name could not be resolved.
type ProxyError struct {
	Proxy string // its URL, without its password
	Err   error
}

func (e *ProxyError) Error() string { return "proxy " + e.Proxy + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ProxyError) Unwrap() error { return e.Err }

// Is reports whether target is ErrProxy.
func (e *ProxyError) Is(target error) bool { return target == ErrProxy }

// A StatusError is a refusal in the server's own words.
type StatusError struct {
	Reply
	Class error         // fs.ErrNotExist, ErrLogin, ErrTemporary, …; may be nil; Unwrap returns it
	Wait  time.Duration // how long the server wants to be left alone; 0 if it did not say
	Realm string        // what a login would be for, in protocols that say
}

func (e *StatusError) Error() string {
	switch {
	case e.Code == 0:
		return e.Text
	case e.Text == "":
		return strconv.Itoa(e.Code)
	}
	return strconv.Itoa(e.Code) + " " + e.Text
}

// Unwrap returns the class of the refusal.
func (e *StatusError) Unwrap() error { return e.Class }
