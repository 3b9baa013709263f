package record

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/url"
)

var (
	errPlain  = errors.New("plain")
	noName    = &net.DNSError{Err: "no such host", Name: "h.example", IsNotFound: true}
	untrusted = &tls.CertificateVerificationError{Err: errPlain}
	refused   = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
)

// about returns err as the failure of the URL of a scheme.
func about(scheme string, err error) error {
	return &fetchers.Error{Op: "fetch", URL: scheme + "://h.example/x", Err: err}
}

func atProxy(err error) error { return &fetchers.ProxyError{Proxy: "http://p.example", Err: err} }

func status(code int, class error) error {
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: code, Text: "no"}, Class: class}
}

type tooLate struct{}

func (tooLate) Error() string   { return "too late" }
func (tooLate) Timeout() bool   { return true }
func (tooLate) Temporary() bool { return false }

// failures has an error for each rule, in their order, and for each place where the order
// decides.
var failures = []struct {
	name  string
	err   error
	class Class
	exit  int
}{
	{"usage", UsageError{errPlain}, ClassUsage, 2},
	{"usage before its cause", UsageError{fs.ErrNotExist}, ClassUsage, 2},
	{"interrupted", about("http", context.Canceled), ClassCanceled, 130},
	{"interrupted while a list is opened", InputError{context.Canceled}, ClassCanceled, 130},
	{"interrupted while a file is written", &download.FileError{Err: context.Canceled}, ClassCanceled, 130},
	{"input", InputError{fs.ErrNotExist}, ClassRead, 26},
	{"output", OutputError{fs.ErrPermission}, ClassWrite, 23},
	{"file", &download.FileError{Err: fs.ErrPermission}, ClassWrite, 23},
	{"checksum", about("http", download.ErrChecksum), ClassChecksum, 120},
	{"no checksum", download.ErrNoSum, ClassChecksum, 120},
	{"checksum of a message", message.ErrChecksum, ClassChecksum, 120},
	{"unknown scheme", about("x", fetchers.ErrUnknownScheme), ClassUnknownScheme, 1},
	{"not retrievable", about("nfs", fetchers.ErrNotRetrievable), ClassNotRetrievable, 4},
	{"redirection", about("http", fetchers.ErrRedirect), ClassRedirect, 47},
	{"redirection to no URL", fmt.Errorf("%w: %w", fetchers.ErrRedirect, &url.Error{}), ClassRedirect, 47},
	{"blocked", about("http", fetchers.ErrBlocked), ClassBlocked, 121},
	{"blocked while dialing", &net.OpError{Op: "dial", Err: fetchers.ErrBlocked}, ClassBlocked, 121},
	{"malformed URL", about("http", &url.Error{}), ClassMalformedURL, 3},
	{"no address of a proxy", about("http", atProxy(noName)), ClassResolve, 5},
	{"no address", about("http", noName), ClassResolve, 6},
	{"no address while dialing", about("http", &net.OpError{Op: "dial", Err: noName}), ClassResolve, 6},
	{"no address, in words of a program", about("http", fetchers.ErrResolve), ClassResolve, 6},
	{"stalled", about("http", fetchers.ErrStalled), ClassTimeout, 28},
	{"stalled proxy", about("http", atProxy(fetchers.ErrStalled)), ClassTimeout, 28},
	{"deadline of a context", about("ftp", context.DeadlineExceeded), ClassTimeout, 28},
	{"deadline of a connection", about("ftp", os.ErrDeadlineExceeded), ClassTimeout, 28},
	{"untrusted", about("https", fetchers.TLS(untrusted)), ClassTLS, 60},
	{"untrusted, in words of a program", about("https", fetchers.ErrUntrusted), ClassTLS, 60},
	{"a URL that ends programs", fmt.Errorf("%w: 3 workers ended", ErrCrash), ClassCrash, 123},
	{"too much to delete", fmt.Errorf("3 files are gone: %w", ErrMaxDelete), ClassDelete, 122},
	{"another key than the pinned one", about("https", fetchers.TLS(fmt.Errorf("%w: x", ErrPinned))), ClassTLS, 90},
	{"TLS", about("https", fetchers.TLS(errPlain)), ClassTLS, 35},
	{"TLS of a proxy", about("https", atProxy(fetchers.TLS(errPlain))), ClassTLS, 35},
	{"login of a proxy", about("http", atProxy(status(407, fs.ErrPermission))), ClassLogin, 67},
	{"proxy that denies", about("http", atProxy(status(403, fs.ErrPermission))), ClassConnect, 7},
	{"proxy", about("ftp", atProxy(io.ErrUnexpectedEOF)), ClassConnect, 7},
	{"too large", about("http", fetchers.ErrTooLarge), ClassTooLarge, 63},
	{"changed", about("http", fetchers.ErrChanged), ClassChanged, 33},
	{"range", about("ftp", fetchers.ErrRange), ClassRange, 33},
	{"range by its status", about("http", status(416, fetchers.ErrRange)), ClassRange, 33},
	{"not found by HTTP", about("http", status(404, fs.ErrNotExist)), ClassNotFound, 22},
	{"denied by HTTP", about("https", status(403, fs.ErrPermission)), ClassDenied, 22},
	{"login by HTTP", about("http", status(401, fetchers.ErrLogin)), ClassLogin, 22},
	{"denied by a law, by HTTP", about("https", status(451, fs.ErrPermission)), ClassDenied, 22},
	{"unsupported by HTTP", about("http", status(405, errors.ErrUnsupported)), ClassProtocol, 22},
	{"busy by HTTP", about("http", status(429, fetchers.Temporary(fetchers.ErrBusy))), ClassProtocol, 22},
	{"a file that another download writes", &download.FileError{Err: download.ErrBusy}, ClassWrite, 23},
	{"a quota of FTP", about("ftp", status(552, fs.ErrPermission)), ClassDenied, 9},
	{"unsupported", about("ftp", status(502, errors.ErrUnsupported)), ClassProtocol, 8},
	{"another status by HTTP", about("http", status(418, nil)), ClassProtocol, 22},
	{"temporary status by HTTP", about("http", status(503, fetchers.ErrTemporary)), ClassProtocol, 22},
	{"a status below 400 by HTTP", about("http", status(300, nil)), ClassProtocol, 8},
	{"a status without its URL", status(404, fs.ErrNotExist), ClassNotFound, 78},
	{"login", about("ftp", status(530, fetchers.ErrLogin)), ClassLogin, 67},
	{"truncated", about("ftp", io.ErrUnexpectedEOF), ClassTruncated, 18},
	{"reset", about("ftp", fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, syscall.ECONNRESET)), ClassRead, 56},
	{"aborted", about("ftp", fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, syscall.ECONNABORTED)), ClassRead, 56},
	{"not found", about("ftp", status(550, fs.ErrNotExist)), ClassNotFound, 78},
	{"no file", about("file", fs.ErrNotExist), ClassNotFound, 78},
	{"denied", about("gopher", status(3, fs.ErrPermission)), ClassDenied, 9},
	{"no permission for a file", about("file", fs.ErrPermission), ClassDenied, 9},
	{"coding", about("http", fetchers.ErrCoding), ClassProtocol, 61},
	{"file that cannot be read", about("file", errPlain), ClassRead, 37},
	{"protocol", about("gopher", fetchers.ErrProtocol), ClassProtocol, 8},
	{"no index", about("http", Explained("no index", fetchers.ErrProtocol)), ClassProtocol, 8},
	{"malformed message", about("nntp", message.ErrMalformed), ClassProtocol, 8},
	{"a status", about("ftp", status(451, nil)), ClassProtocol, 8},
	{"refused", about("ftp", syscall.ECONNREFUSED), ClassConnect, 7},
	{"dialing", about("ftp", refused), ClassConnect, 7},
	{"no route", about("ftp", &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}), ClassConnect, 7},
	{"timeout while dialing", about("ftp", &net.OpError{Op: "dial", Err: tooLate{}}), ClassConnect, 7},
	{"timeout", about("ftp", tooLate{}), ClassTimeout, 28},
	{"reading", about("ftp", &net.OpError{Op: "read", Err: syscall.ECONNRESET}), ClassRead, 56},
	{"anything else", errPlain, ClassRead, 56},
}

func TestClassify(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			for _, err := range []error{f.err, fmt.Errorf("line 3: %w", f.err), Explained("other words", f.err), errors.Join(errPlain, f.err)} {
				if class, exit := Classify(err); class != f.class || exit != f.exit {
					t.Errorf("%q is %s, exit %d; want %s, exit %d", err, class, exit, f.class, f.exit)
				}
			}
		})
	}
	if class, exit := Classify(nil); class != "" || exit != ExitOK {
		t.Errorf("no error is %q, exit %d", class, exit)
	}
}

// TestRulesAreTested finds a rule, a class or an exit status for which the table above has
// no error.
func TestRulesAreTested(t *testing.T) {
	used := make(map[int]bool)
	var classes []Class
	exits := []int{ExitOK}
	for _, f := range failures {
		used[decisive(f.err)] = true
		classes, exits = append(classes, f.class), append(exits, f.exit)
	}
	for at := range len(rules) {
		if !used[at] {
			t.Errorf("no error is for rule %d: %s, exit %d", at, rules[at].class, rules[at].exit)
		}
	}
	for _, class := range Classes() {
		if !slices.Contains(classes, class) {
			t.Errorf("no error is of class %s", class)
		}
	}
	for _, e := range ExitCodes() {
		if !slices.Contains(exits, e.Code) {
			t.Errorf("no error has the exit status %d", e.Code)
		}
	}
}
