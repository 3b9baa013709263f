package fetchers

import (
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// The classes of errors, for errors.Is; [ClassOf] returns the class of an error. These
// sentinels of the standard library and of package url are classes too, whichever protocol
// an error comes from: fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported,
// io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded and url.ErrMalformed.
var (
	ErrUnknownScheme  = errors.New("unknown scheme")
	ErrNotRetrievable = errors.New("not retrievable")
	ErrLogin          = errors.New("login required") // a Client then uses its Keychain
	ErrBlocked        = errors.New("blocked by policy")
	ErrTemporary      = errors.New("temporary failure") // a Client may retry; an error of another class may be an ErrTemporary too
	ErrRedirect       = errors.New("redirection not followed")
	ErrProtocol       = errors.New("reply makes no sense")
	ErrNotListing     = errors.New("not a listing")    // for a document whose entries were requested
	ErrRange          = errors.New("range not served") // a RangeError if the size is known
	ErrChanged        = errors.New("resource changed") // since the caller's version, or while it was read
	ErrCoding         = errors.New("content coding")   // unknown, broken or beyond a limit
	ErrStalled        = errors.New("stalled")
	ErrProxy          = errors.New("proxy")                               // a failure at a proxy, or on the way to it; see ProxyError
	ErrResolve        = errors.New("host not resolved")                   // a *net.DNSError; an ErrTemporary too if the name server failed temporarily
	ErrTLS            = errors.New("TLS")                                 // failed negotiation, or an alert
	ErrUntrusted      = fmt.Errorf("%w: certificate not trusted", ErrTLS) // a *tls.CertificateVerificationError, or one of crypto/x509
	ErrBusy           = errors.New("busy")                                // a server with too many users, which is an ErrTemporary, or a file that another download writes
	ErrTooLarge       = errors.New("too large")                           // a resource larger than a Limiter allows
	ErrChecksum       = errors.New("checksum mismatch")                   // content or size differs from the expected one
	ErrWrite          = errors.New("output not written")                  // a local file could not be written; see download.FileError
	ErrOther          = errors.New("unclassified failure")                // the result of ClassOf for an error of no class
)

// An Error reports the operation that failed, its URL and the cause.
type Error struct {
	Op  string // "parse", "connect", "login", "fetch", "read", "list"
	URL string // without the password; "" if unknown
	Err error  // not nil
}

// NewError returns an Error about u. If err is an Error already, it is returned unchanged, so that
// it names the URL closest to the cause. NewError adds the classes of failures of name resolution,
// TLS and certificates: ErrResolve, ErrTLS and ErrUntrusted. If err is nil, so is the result; if u
// is nil, the Error has no URL.
func NewError(op string, u *url.URL, err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	e = &Error{Op: op, Err: classed(err)}
	if u != nil {
		e.URL = u.Redacted()
	}
	return e
}

func (e *Error) Error() string {
	if e.URL == "" {
		return e.Op + ": " + e.Err.Error()
	}
	return e.Op + " " + e.URL + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary adds the class ErrTemporary to err, without changing its text. If err is nil, so is the
// result.
func Temporary(err error) error { return mark(err, ErrTemporary) }

// TLS adds the class ErrTLS to err, without changing its text. If err is nil, so is the result.
func TLS(err error) error { return mark(err, ErrTLS) }

// mark adds a class to err, unless err has it.
func mark(err, class error) error {
	if err == nil || errors.Is(err, class) {
		return err
	}
	return marked{err, class}
}

// A marked is an error with an additional class.
type marked struct {
	error
	class error
}

func (e marked) Is(target error) bool { return errors.Is(e.class, target) }
func (e marked) Unwrap() error        { return e.error }

// A ProxyError is a failure at a proxy, or on the way to it. It is an ErrProxy. Err is not nil. If
// Err is a StatusError, the proxy has refused. Its class is fs.ErrPermission if the proxy rejects
// the client or the target; it is never ErrLogin, because a Client would then present the password
// for the server. If Err contains a *net.DNSError, the name of the proxy could not be resolved.
type ProxyError struct {
	Proxy string // URL without the password
	Err   error
}

func (e *ProxyError) Error() string { return "proxy " + e.Proxy + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ProxyError) Unwrap() error { return e.Err }

// Is reports whether target is ErrProxy.
func (e *ProxyError) Is(target error) bool { return target == ErrProxy }

// A StatusError is a refusal of a server, with its text.
type StatusError struct {
	Reply
	Class error         // fs.ErrNotExist, ErrLogin, ErrTemporary, …; may be nil; Unwrap returns it
	Wait  time.Duration // wait that the server demands; 0 if none
	Realm string        // the realm of the login, in protocols with realms

	// Header has the fields of the response, and Excerpt the beginning of its body, at most
	// MaxExcerpt bytes. Only HTTP has them. Excerpt is "" unless the body is text, other than HTML,
	// or JSON.
	Header  textproto.MIMEHeader
	Excerpt string
}

// MaxExcerpt is the maximum length of StatusError.Excerpt, in bytes.
const MaxExcerpt = 1 << 10

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
