package fetchers_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// errorsOfClasses has errors of each class, and of several classes.
var errorsOfClasses = []struct {
	name      string
	err       error
	class     error
	temporary bool
}{
	{"a cancelled context", context.Canceled, context.Canceled, false},
	{"a context past its deadline", context.DeadlineExceeded, context.DeadlineExceeded, false},
	{"a file that another download writes", fmt.Errorf("%w: %w", fetchers.ErrWrite, fetchers.ErrBusy), fetchers.ErrBusy, false},
	{"a busy server", refusedAs(fetchers.Temporary(fetchers.ErrBusy)), fetchers.ErrBusy, true},
	{"a wrong checksum", fetchers.ErrChecksum, fetchers.ErrChecksum, false},
	{"a file without permission to write", fmt.Errorf("%w: %w", fetchers.ErrWrite, fs.ErrPermission), fetchers.ErrWrite, false},
	{"an unknown scheme", fetchers.ErrUnknownScheme, fetchers.ErrUnknownScheme, false},
	{"a name", fetchers.ErrNotRetrievable, fetchers.ErrNotRetrievable, false},
	{"a redirection", fetchers.ErrRedirect, fetchers.ErrRedirect, false},
	{"a redirection to no URL", fmt.Errorf("%w: %w", fetchers.ErrRedirect, &url.Error{}), fetchers.ErrRedirect, false},
	{"a forbidden address", &net.OpError{Op: "dial", Err: fetchers.ErrBlocked}, fetchers.ErrBlocked, false},
	{"a malformed URL", &url.Error{Pos: 1, Reason: "bad"}, url.ErrMalformed, false},
	{"a proxy that is silent", &fetchers.ProxyError{Err: fetchers.ErrStalled}, fetchers.ErrProxy, false},
	{"a proxy without an address", &fetchers.ProxyError{Err: &net.DNSError{IsNotFound: true}}, fetchers.ErrProxy, false},
	{"a proxy that denies", &fetchers.ProxyError{Err: refusedAs(fs.ErrPermission)}, fetchers.ErrProxy, false},
	{"a host without an address", &net.DNSError{IsNotFound: true}, fetchers.ErrResolve, false},
	{"a host without an address, while dialing", &net.OpError{Op: "dial", Err: &net.DNSError{}}, fetchers.ErrResolve, false},
	{"a name server that may answer later", fetchers.Temporary(&net.DNSError{IsTemporary: true}), fetchers.ErrResolve, true},
	{"silence", fetchers.Temporary(fetchers.ErrStalled), fetchers.ErrStalled, true},
	{"a certificate that is not verified", fetchers.TLS(&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: new(x509.Certificate)}}), fetchers.ErrUntrusted, false},
	{"a certificate of an unknown authority", x509.UnknownAuthorityError{}, fetchers.ErrUntrusted, false},
	{"a certificate of another host", x509.HostnameError{Certificate: new(x509.Certificate)}, fetchers.ErrUntrusted, false},
	{"an expired certificate", x509.CertificateInvalidError{Reason: x509.Expired}, fetchers.ErrUntrusted, false},
	{"no root certificates", x509.SystemRootsError{}, fetchers.ErrUntrusted, false},
	{"a certificate with a weak signature", x509.InsecureAlgorithmError(x509.MD5WithRSA), fetchers.ErrUntrusted, false},
	{"a certificate outside of a constraint", x509.ConstraintViolationError{}, fetchers.ErrUntrusted, false},
	{"a certificate with an unknown extension", x509.UnhandledCriticalExtension{}, fetchers.ErrUntrusted, false},
	{"an alert", tls.AlertError(40), fetchers.ErrTLS, false},
	{"the end of a handshake", fetchers.TLS(fetchers.Temporary(io.EOF)), fetchers.ErrTLS, true},
	{"too many bytes", fetchers.ErrTooLarge, fetchers.ErrTooLarge, false},
	{"another version", fmt.Errorf("%w: %w", fetchers.ErrChanged, refusedAs(fetchers.ErrRange)), fetchers.ErrChanged, false},
	{"a document that was to be a listing", fetchers.ErrNotListing, fetchers.ErrNotListing, false},
	{"a range", refusedAs(fetchers.ErrRange), fetchers.ErrRange, false},
	{"a content coding", fetchers.ErrCoding, fetchers.ErrCoding, false},
	{"a login", refusedAs(fetchers.ErrLogin), fetchers.ErrLogin, false},
	{"a missing document", refusedAs(fs.ErrNotExist), fs.ErrNotExist, false},
	{"a forbidden document", refusedAs(fs.ErrPermission), fs.ErrPermission, false},
	{"a cut", fetchers.Temporary(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF, true},
	{"an unknown command", refusedAs(errors.ErrUnsupported), errors.ErrUnsupported, false},
	{"nonsense", fetchers.Temporary(fetchers.ErrProtocol), fetchers.ErrProtocol, true},
	{"a refused connection", fetchers.Temporary(syscall.ECONNREFUSED), fetchers.ErrTemporary, true},
	{"a refusal without a class", refusedAs(nil), fetchers.ErrOther, false},
	{"anything else", errors.New("plain"), fetchers.ErrOther, false},
}

func refusedAs(class error) error {
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: 599, Text: "no"}, Class: class}
}

func TestClassOf(t *testing.T) {
	if got := fetchers.ClassOf(nil); got != nil {
		t.Errorf("the class of nil is %v", got)
	}
	u := parse(t, "ftp://h.example/")
	for _, c := range errorsOfClasses {
		t.Run(c.name, func(t *testing.T) {
			about := fetchers.NewError("fetch", u, c.err)
			for _, err := range []error{c.err, fmt.Errorf("line 3: %w", c.err), about, &fetchers.TriedError{Err: about}} {
				if got := fetchers.ClassOf(err); got != c.class {
					t.Errorf("the class of %v is %v, want %v", err, got, c.class)
				}
				if errors.Is(err, fetchers.ErrTemporary) != c.temporary {
					t.Errorf("%v is an ErrTemporary: %v", err, !c.temporary)
				}
			}
			if c.class != fetchers.ErrOther && !errors.Is(about, c.class) {
				t.Errorf("%v is no %v for errors.Is", about, c.class)
			}
			if c.class == fetchers.ErrUntrusted && !errors.Is(about, fetchers.ErrTLS) {
				t.Errorf("%v is no ErrTLS", about)
			}
			if !errors.Is(about, c.err) {
				t.Errorf("%v has lost its cause", about)
			}
			if want := "fetch ftp://h.example/: " + c.err.Error(); about.Error() != want {
				t.Errorf("the text is %q, want %q", about, want)
			}
		})
	}
}

// errors.As finds the cause of an error that was marked with a class.
func TestClassLeavesTheCause(t *testing.T) {
	u := parse(t, "https://h.example/")
	var dns *net.DNSError
	if err := fetchers.NewError("fetch", u, &net.DNSError{Name: "h.example"}); !errors.As(err, &dns) || dns.Name != "h.example" {
		t.Errorf("%v has no DNSError", err)
	}
	var host x509.HostnameError
	if err := fetchers.NewError("fetch", u, fetchers.TLS(&tls.CertificateVerificationError{Err: x509.HostnameError{Host: "x", Certificate: new(x509.Certificate)}})); !errors.As(err, &host) || host.Host != "x" {
		t.Errorf("%v has no HostnameError", err)
	}
}

// Each sentinel of the package is a class in the table above and in the guide.
func TestEverySentinelIsAClass(t *testing.T) {
	guide, err := os.ReadFile("../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := make(map[string]bool)
	for _, c := range errorsOfClasses {
		tested[c.class.Error()] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Err") {
			return true
		}
		text := v.Values[0].(*ast.CallExpr).Args[0].(*ast.BasicLit).Value
		text = strings.Replace(strings.Trim(text, `"`), "%w", "TLS", 1)
		if !tested[text] {
			t.Errorf("no error of the table is of class %s, %q", v.Names[0].Name, text)
		}
		if row := "| `" + v.Names[0].Name + "` |"; !strings.Contains(string(guide), row) {
			t.Errorf("docs/library.md has no row %q", row)
		}
		return true
	})
}

func TestNilErrors(t *testing.T) {
	u := parse(t, "ftp://h.example/")
	for name, err := range map[string]error{
		"Temporary": fetchers.Temporary(nil),
		"TLS":       fetchers.TLS(nil),
		"NewError":  fetchers.NewError("fetch", u, nil),
		"of no URL": fetchers.NewError("fetch", nil, nil),
	} {
		if err != nil {
			t.Errorf("%s: %T for nil", name, err)
		}
	}
	err := fetchers.NewError("fetch", nil, fs.ErrNotExist)
	if err.Error() != "fetch: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a URL the error is %q", err)
	}
}
