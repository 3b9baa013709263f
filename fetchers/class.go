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

// classes are all classes, the most specific first. An error may have several: a truncated body may
// be an ErrTemporary too.
var classes = []error{
	context.Canceled, context.DeadlineExceeded,
	ErrBusy, ErrChecksum, ErrWrite,
	ErrUnknownScheme, ErrNotRetrievable, ErrRedirect, ErrBlocked, url.ErrMalformed,
	ErrProxy, ErrResolve, ErrStalled, ErrUntrusted, ErrTLS,
	ErrTooLarge, ErrChanged, ErrRange, ErrCoding, ErrNotListing,
	ErrLogin, fs.ErrNotExist, fs.ErrPermission,
	io.ErrUnexpectedEOF, errors.ErrUnsupported, ErrProtocol, ErrTemporary,
}

// ClassOf returns the class of an error, for a comparison in a switch. A class is one of the
// sentinels of this package that begin with Err, or one of the sentinels listed there.
//
//	switch fetchers.ClassOf(err) {
//	case nil:
//	case fs.ErrNotExist:
//	case fetchers.ErrResolve, fetchers.ErrTemporary:
//	}
//
// If an error has several classes, ClassOf returns the most specific one; ErrTemporary comes last.
// Therefore errors.Is(err, ErrTemporary), and not ClassOf, tells whether a failure is temporary.
// The class of nil is nil, and that of an error without a class is ErrOther. Errors from other
// packages have classes too: a *net.DNSError is ErrResolve, and a failure to verify a certificate
// is ErrUntrusted.
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

// classed adds the class to errors of the standard library that have one.
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

// isUntrusted reports whether a certificate was not accepted. Package tls wraps the errors of its
// own verification, but not those of VerifyConnection.
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

// isAlert reports whether err contains a TLS alert, sent or received, or a record that is not TLS.
// crypto/tls exports the type of an alert for QUIC only. It wraps alerts in a net.OpError, and no
// other package uses these operations. In TLS 1.3 an alert about the client's certificate arrives
// only after the handshake.
func isAlert(err error) bool {
	var (
		op     *net.OpError
		record tls.RecordHeaderError
		alert  tls.AlertError
	)
	return errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") || errors.As(err, &record) || errors.As(err, &alert)
}
