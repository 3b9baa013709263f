package record

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	nethttp "net/http"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/url"
)

// A Class is the sort of a failure, the same for all protocols.
type Class string

const (
	ClassUsage          Class = "usage"           // the command line makes no sense
	ClassMalformedURL   Class = "malformed-url"   // nothing was sent
	ClassUnknownScheme  Class = "unknown-scheme"  // no protocol for the URL, or it is not allowed
	ClassNotRetrievable Class = "not-retrievable" // the URL names something that is not fetched
	ClassResolve        Class = "resolve"         // no address for the name of the host or the proxy
	ClassConnect        Class = "connect"         // no connection to the server or the proxy
	ClassTLS            Class = "tls"             // no agreement, or a certificate that is not trusted
	ClassProtocol       Class = "protocol"        // the reply makes no sense, or has a status without a class of its own
	ClassDenied         Class = "denied"          // the server does not give access
	ClassLogin          Class = "login"           // a login is wanted, or was refused
	ClassNotFound       Class = "not-found"       // the server does not have it
	ClassTruncated      Class = "truncated"       // the content ended too early
	ClassWrite          Class = "write"           // output could not be written
	ClassRead           Class = "read"            // input, a file or a connection could not be read
	ClassTimeout        Class = "timeout"         // it took too long, or the server fell silent
	ClassRange          Class = "range"           // the server does not serve that range
	ClassChanged        Class = "changed"         // the resource is no longer that of the partial file
	ClassRedirect       Class = "redirect"        // too many redirections, or one that is not allowed
	ClassTooLarge       Class = "too-large"       // more bytes than the program wants
	ClassChecksum       Class = "checksum"        // other content, or size, than expected
	ClassBlocked        Class = "blocked"         // the address or the port is not allowed
	ClassDelete         Class = "delete"          // more files are gone than may be deleted, and none was
	ClassCrash          Class = "crash"           // programs ended while they fetched it, several times
	ClassCanceled       Class = "canceled"        // the user, or the program, interrupted it
)

// Classes returns all classes.
func Classes() []Class {
	return []Class{
		ClassUsage, ClassMalformedURL, ClassUnknownScheme, ClassNotRetrievable, ClassResolve, ClassConnect,
		ClassTLS, ClassProtocol, ClassDenied, ClassLogin, ClassNotFound, ClassTruncated, ClassWrite, ClassRead,
		ClassTimeout, ClassRange, ClassChanged, ClassRedirect, ClassTooLarge, ClassChecksum, ClassBlocked,
		ClassDelete, ClassCrash, ClassCanceled,
	}
}

// Classify returns the class of an error and its exit status. An error that has nothing
// known in it is ClassRead, with ExitReceive; a nil error is no failure: "" and ExitOK.
func Classify(err error) (class Class, exit int) {
	if err == nil {
		return "", ExitOK
	}
	if i := decisive(err); i >= 0 {
		return rules[i].class, rules[i].exit
	}
	return ClassRead, ExitReceive
}

// decisive returns the index of the first rule that holds for an error, or -1.
func decisive(err error) int {
	f := failed{err: err}
	if about, ok := errors.AsType[*fetchers.Error](err); ok {
		f.scheme, _, _ = strings.Cut(about.URL, ":")
	}
	f.status, _ = errors.AsType[*fetchers.StatusError](err)
	return slices.IndexFunc(rules, func(r rule) bool { return r.holds(f) })
}

// A rule gives the errors for which it holds their class and their exit status.
type rule struct {
	holds func(failed) bool
	class Class
	exit  int
}

// rules are tried in order, for one error may satisfy several: if the name of a proxy has no
// address, the error is an ErrProxy and a *net.DNSError.
var rules = []rule{
	{as[UsageError], ClassUsage, ExitUsage},
	{is(context.Canceled), ClassCanceled, ExitInterrupted}, // also while a file was being opened
	{as[InputError], ClassRead, ExitInput},
	{as[OutputError], ClassWrite, ExitWrite},
	{as[*download.FileError], ClassWrite, ExitWrite},
	{is(download.ErrChecksum, download.ErrNoSum, message.ErrChecksum), ClassChecksum, ExitChecksum},
	{is(fetchers.ErrUnknownScheme), ClassUnknownScheme, ExitUnknownScheme},
	{is(fetchers.ErrNotRetrievable), ClassNotRetrievable, ExitNotRetrievable},
	{is(fetchers.ErrRedirect), ClassRedirect, ExitRedirect},
	{is(fetchers.ErrBlocked), ClassBlocked, ExitBlocked},
	{as[*url.Error], ClassMalformedURL, ExitMalformedURL},
	{both(isUnresolved, is(fetchers.ErrProxy)), ClassResolve, ExitResolveProxy},
	{isUnresolved, ClassResolve, ExitResolve},
	{is(fetchers.ErrStalled, context.DeadlineExceeded, os.ErrDeadlineExceeded), ClassTimeout, ExitTimeout},
	{isUntrusted, ClassTLS, ExitUntrusted},
	{is(ErrPinned), ClassTLS, ExitPinned},
	{is(ErrMaxDelete), ClassDelete, ExitMaxDelete},
	{is(ErrCrash), ClassCrash, ExitCrash},
	{is(fetchers.ErrTLS), ClassTLS, ExitTLS},
	{both(is(fetchers.ErrProxy), wantsProxyLogin), ClassLogin, ExitLogin},
	{is(fetchers.ErrProxy), ClassConnect, ExitConnect},
	{is(fetchers.ErrTooLarge), ClassTooLarge, ExitTooLarge},
	{is(fetchers.ErrChanged), ClassChanged, ExitRange},
	{is(fetchers.ErrRange), ClassRange, ExitRange}, // status 416 of HTTP too
	{refusedOverHTTP(fs.ErrNotExist), ClassNotFound, ExitHTTP},
	{refusedOverHTTP(fs.ErrPermission), ClassDenied, ExitHTTP},
	{refusedOverHTTP(fetchers.ErrLogin), ClassLogin, ExitHTTP},
	{refusedOverHTTP(nil), ClassProtocol, ExitHTTP},
	{is(fetchers.ErrLogin), ClassLogin, ExitLogin},
	{both(is(io.ErrUnexpectedEOF), not(is(syscall.ECONNRESET, syscall.ECONNABORTED))), ClassTruncated, ExitTruncated}, // curl has 56 for a reset
	{is(fs.ErrNotExist), ClassNotFound, ExitNotFound},
	{is(fs.ErrPermission), ClassDenied, ExitDenied},
	{is(fetchers.ErrCoding), ClassProtocol, ExitCoding},
	{ofFileURL, ClassRead, ExitFile},
	{is(fetchers.ErrProtocol, message.ErrMalformed), ClassProtocol, ExitProtocol},
	{as[*fetchers.StatusError], ClassProtocol, ExitProtocol},
	{is(syscall.ECONNREFUSED), ClassConnect, ExitConnect},
	{whileDialing, ClassConnect, ExitConnect},
	{timedOut, ClassTimeout, ExitTimeout},
}

// A failed is an error with the facts that several rules ask for.
type failed struct {
	err    error
	scheme string                // of the URL that the error names
	status *fetchers.StatusError // nil if there is none in err
}

func as[E error](f failed) bool {
	_, ok := errors.AsType[E](f.err)
	return ok
}

func is(targets ...error) func(failed) bool {
	return func(f failed) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(f.err, target) })
	}
}

func both(a, b func(failed) bool) func(failed) bool {
	return func(f failed) bool { return a(f) && b(f) }
}

func not(a func(failed) bool) func(failed) bool {
	return func(f failed) bool { return !a(f) }
}

// isUnresolved and isUntrusted are also for errors without the class that fetchers.NewError gives.
func isUnresolved(f failed) bool {
	return as[*net.DNSError](f) || errors.Is(f.err, fetchers.ErrResolve)
}

func isUntrusted(f failed) bool {
	return as[*tls.CertificateVerificationError](f) || errors.Is(f.err, fetchers.ErrUntrusted)
}

func wantsProxyLogin(f failed) bool {
	return f.status != nil && f.status.Code == nethttp.StatusProxyAuthRequired
}

// refusedOverHTTP is for a status of HTTP of 400 or more. A nil class is any.
func refusedOverHTTP(class error) func(failed) bool {
	return func(f failed) bool {
		if f.status == nil || f.status.Code < 400 || f.scheme != "http" && f.scheme != "https" {
			return false
		}
		return class == nil || f.status.Class == class
	}
}

func ofFileURL(f failed) bool { return f.scheme == "file" }

func whileDialing(f failed) bool {
	network, ok := errors.AsType[*net.OpError](f.err)
	return ok && network.Op == "dial"
}

func timedOut(f failed) bool {
	timeout, ok := errors.AsType[net.Error](f.err)
	return ok && timeout.Timeout()
}
