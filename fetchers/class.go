package fetchers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"

	"github.com/seed1ea3422f/fetch/url"
)

// classes are all classes, those first that say most: an error may be of several, as a cut
// that is an ErrTemporary too.
var classes = []error{
	context.Canceled, context.DeadlineExceeded,
	ErrBusy, ErrChecksum, ErrWrite,
	ErrUnknownScheme, ErrNotRetrievable, ErrRedirect, ErrBlocked, url.ErrMalformed,
	ErrProxy, ErrResolve, ErrStalled, ErrUntrusted, ErrTLS,
	ErrTooLarge, ErrChanged, ErrRange, ErrCoding, ErrNotListing,
	ErrLogin, fs.ErrNotExist, fs.ErrPermission,
	io.ErrUnexpectedEOF, errors.ErrUnsupported, ErrProtocol, ErrTemporary,
}

// ClassOf returns the class of an error: one of the sentinels of this package that begin with
// Err, or one of those beside them, so that a switch can compare it.
//
//	switch fetchers.ClassOf(err) {
//	case nil:
//	case fs.ErrNotExist:
//	case fetchers.ErrResolve, fetchers.ErrTemporary:
//	}
//
// Of several classes it is the one that says most, and ErrTemporary is the last. So
// errors.Is(err, ErrTemporary), and not ClassOf, tells whether a failure may pass. The class
// of nil is nil, and that of an error of no class is ErrOther. An error need not come from a
// Fetcher: a *net.DNSError is of class ErrResolve, and a failure to verify a certificate of
// class ErrUntrusted.
func ClassOf(err error) error {
	if err == nil {
		return nil
	}
	err = classed(err)
	for _, class := range classes {
		if errors.Is(err, class) {
			return class
		}
	}
	return ErrOther
}

// classed gives the failures of the standard library that have a class the mark of it.
func classed(err error) error {
	switch {
	case isUnresolved(err):
		return mark(err, ErrResolve)
	case isUntrusted(err):
		return mark(err, ErrUntrusted)
	case isAlert(err):
		return mark(err, ErrTLS)
	}
	return err
}

func isUnresolved(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}

// isUntrusted reports whether a certificate was not accepted. Package tls wraps its own
// failures to verify one, and not those of a VerifyConnection.
func isUntrusted(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		host         x509.HostnameError
		invalid      x509.CertificateInvalidError
		roots        x509.SystemRootsError
		algorithm    x509.InsecureAlgorithmError
		constraint   x509.ConstraintViolationError
		extension    x509.UnhandledCriticalExtension
	)
	for _, target := range []any{&verification, &authority, &host, &invalid, &roots, &algorithm, &constraint, &extension} {
		if errors.As(err, target) {
			return true
		}
	}
	return false
}

// isAlert reports whether there is in err a TLS alert, sent or received, or a record that is
// not TLS. The type of an alert is exported by crypto/tls for QUIC only;
// that of the error around an alert is, and no other package uses these operations. In TLS 1.3
// an alert about the client's certificate comes only after the handshake.
func isAlert(err error) bool {
	var (
		op     *net.OpError
		record tls.RecordHeaderError
		alert  tls.AlertError
	)
	return errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") || errors.As(err, &record) || errors.As(err, &alert)
}
