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
	ErrLogin          = errors.New("login required") // Client asks its Keychain
	ErrBlocked        = errors.New("blocked by policy")
	ErrTemporary      = errors.New("temporary failure") // Client may try again; an error of another class may be an ErrTemporary too
	ErrRedirect       = errors.New("redirection not followed")
	ErrProtocol       = errors.New("reply makes no sense")
	ErrNotListing     = errors.New("not a listing")    // of a document that was asked for its entries
	ErrRange          = errors.New("range not served") // a RangeError if the size is known
	ErrChanged        = errors.New("resource changed") // since the copy at hand, or while it was read
	ErrCoding         = errors.New("content coding")   // unknown, broken or beyond a limit
	ErrStalled        = errors.New("stalled")
	ErrProxy          = errors.New("proxy")                               // a failure at or before a proxy; see ProxyError
	ErrResolve        = errors.New("host not resolved")                   // a *net.DNSError; ErrTemporary too if the name server may answer later
	ErrTLS            = errors.New("TLS")                                 // no agreement, or an alert
	ErrUntrusted      = fmt.Errorf("%w: certificate not trusted", ErrTLS) // a *tls.CertificateVerificationError, or one of crypto/x509
	ErrBusy           = errors.New("busy")                                // a server with too many users, which is an ErrTemporary, or a file that another download writes
	ErrTooLarge       = errors.New("too large")                           // a resource of more bytes than a Limiter allows
	ErrChecksum       = errors.New("checksum mismatch")                   // content, or a size, that is not the expected one
	ErrWrite          = errors.New("output not written")                  // a file that could not be written on this machine; see download.FileError
	ErrOther          = errors.New("failure of no class")                 // the result of ClassOf for an error of no class
)

// An Error says which operation failed on which URL, and why.
type Error struct {
	Op  string // "parse", "connect", "login", "fetch", "read", "list"
	URL string // never with its password; "" if there is none
	Err error  // not nil
}

// NewError returns an Error about u. If err is one already, it is returned as
// it is, so that the first to know the URL is the one who names it. NewError gives the
// failures of name resolution, of TLS and of certificates their classes: ErrResolve, ErrTLS and
// ErrUntrusted. If err is nil, so is the result; if u is nil, the Error names no URL.
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

// Temporary marks err as an ErrTemporary and leaves its words alone. If err is nil, so is
// the result.
func Temporary(err error) error { return mark(err, ErrTemporary) }

// TLS marks err as an ErrTLS and leaves its words alone. If err is nil, so is the result.
func TLS(err error) error { return mark(err, ErrTLS) }

// mark gives err a class that it lacks.
func mark(err, class error) error {
	if err == nil || errors.Is(err, class) {
		return err
	}
	return marked{err, class}
}

// A marked is an error with a class, and with its own words.
type marked struct {
	error
	class error
}

func (e marked) Is(target error) bool { return errors.Is(e.class, target) }
func (e marked) Unwrap() error        { return e.error }

// A ProxyError says what went wrong at which proxy, and is an ErrProxy. Err is not nil. If Err is
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

	// Header has the fields of the answer, and Excerpt the beginning of its body, at most
	// MaxExcerpt octets of it. HTTP alone has either. The body is a text or JSON, and no HTML;
	// of another the Excerpt is "".
	Header  textproto.MIMEHeader
	Excerpt string
}

// MaxExcerpt is how many octets of a body the Excerpt of a StatusError has.
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
