package term

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// Words returns the text of an error in one line, with plain words in the place of those that
// the system and the packages about networks and TLS have for themselves.
func Words(err error) string {
	text := OneLine(err)
	for _, cause := range causes(err) {
		if plain := plainly(cause, err); plain != "" {
			text = strings.Replace(text, OneLine(cause), inLine(plain), 1)
		}
	}
	return text
}

// causes returns an error and all that it wraps, from the outside in.
func causes(err error) []error {
	if err == nil {
		return nil
	}
	all := []error{err}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		all = append(all, causes(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, causes(one)...)
		}
	}
	return all
}

// plainly returns plain words for a cause of the failure whole, or "" if its own will do.
func plainly(cause, whole error) string {
	if cause == io.ErrUnexpectedEOF {
		return "the connection ended too early"
	}
	switch e := cause.(type) {
	case *net.OpError:
		return connecting(e)
	case *net.DNSError:
		return resolving(e)
	case *tls.CertificateVerificationError:
		return plainly(e.Err, whole)
	case x509.UnknownAuthorityError:
		return unknownAuthority(e)
	case x509.HostnameError:
		return fmt.Sprintf("its certificate is for %s, and not for %s", names(e.Certificate), e.Host)
	case x509.CertificateInvalidError:
		return invalid(e)
	case tls.RecordHeaderError:
		return "the server has no TLS at this port"
	case *fs.PathError:
		return writing(e, whole)
	}
	return ""
}

// connecting is about a connection.
func connecting(e *net.OpError) string {
	if dns, ok := errors.AsType[*net.DNSError](e); ok {
		return resolving(dns)
	}
	to := "the server"
	if e.Addr != nil {
		to = e.Addr.String()
	}
	switch {
	case errors.Is(e, syscall.ECONNREFUSED):
		return to + " refused the connection"
	case errors.Is(e, syscall.ENETUNREACH), errors.Is(e, syscall.EHOSTUNREACH):
		return "there is no way to " + to
	case errors.Is(e, syscall.ECONNRESET), errors.Is(e, syscall.EPIPE):
		return "the connection was reset"
	case e.Op == "dial" && e.Timeout():
		return "no answer from " + to
	case e.Op == "remote error": // an alert
		return "the server broke off the handshake: " + strings.TrimPrefix(e.Err.Error(), "tls: ")
	}
	return ""
}

// resolving is about the name of a host.
func resolving(e *net.DNSError) string {
	switch {
	case e.IsNotFound:
		return "cannot resolve host " + e.Name
	case e.IsTimeout:
		return "no name server answered about host " + e.Name
	}
	why := e.Err[strings.LastIndex(": "+e.Err, ": "):] // of a failure to ask, the end is the cause
	if e.Server != "" {
		why = "name server " + e.Server + ": " + why
	}
	return fmt.Sprintf("cannot resolve host %s: %s", e.Name, why)
}

func unknownAuthority(e x509.UnknownAuthorityError) string {
	switch {
	case e.Cert == nil:
		return "its certificate is of an authority that is not trusted"
	case e.Cert.Issuer.String() == e.Cert.Subject.String():
		return "its certificate is signed by itself, and by no authority"
	}
	return fmt.Sprintf("its certificate is signed by an authority that is not trusted: %s", e.Cert.Issuer)
}

// invalid is about a certificate that is not valid by itself.
func invalid(e x509.CertificateInvalidError) string {
	if e.Reason != x509.Expired || e.Cert == nil {
		return ""
	}
	if begin := e.Cert.NotBefore; time.Now().Before(begin) {
		return "its certificate is valid only from " + begin.UTC().Format(time.DateOnly) + " on"
	}
	return "its certificate expired on " + e.Cert.NotAfter.UTC().Format(time.DateOnly)
}

// names are a few of those that a certificate is for.
func names(c *x509.Certificate) string {
	if c == nil {
		return "another host"
	}
	list := c.DNSNames
	for _, ip := range c.IPAddresses {
		list = append(list[:len(list):len(list)], ip.String())
	}
	const few = 3
	switch {
	case len(list) == 0:
		return "no host at all"
	case len(list) > few:
		return strings.Join(list[:few], ", ") + fmt.Sprintf(" and %d more", len(list)-few)
	}
	return strings.Join(list, ", ")
}

// writing is about a file that the failure whole is about writing.
func writing(e *fs.PathError, whole error) string {
	_, output := errors.AsType[record.OutputError](whole)
	_, file := errors.AsType[*download.FileError](whole)
	if !output && !file {
		return ""
	}
	name := strings.TrimSuffix(e.Path, ".part")
	switch {
	case errors.Is(e, syscall.ENOSPC):
		return fmt.Sprintf("cannot write %s: there is no space left", name)
	case errors.Is(e, syscall.EDQUOT):
		return fmt.Sprintf("cannot write %s: the quota of the disk is reached", name)
	case errors.Is(e, fs.ErrPermission):
		return fmt.Sprintf("cannot write %s: permission denied", name)
	case errors.Is(e, syscall.EROFS):
		return fmt.Sprintf("cannot write %s: the disk is read-only", name)
	case errors.Is(e, fs.ErrNotExist):
		return fmt.Sprintf("cannot write %s: its directory does not exist", name)
	}
	return ""
}

// hints returns the next steps for the user after a failure, one a line.
func hints(err error) []string {
	switch {
	case is[x509.UnknownAuthorityError](err):
		return []string{"to trust an authority of your own: --cacert FILE; to trust any certificate: -k"}
	case is[*tls.CertificateVerificationError](err):
		return []string{"to fetch it all the same, and trust any certificate: -k"}
	case is[tls.RecordHeaderError](err) && !errors.Is(err, fetchers.ErrProxy):
		return []string{"to fetch it without TLS: a URL without the s, as http:// for https://"}
	case certificateWanted(err):
		return []string{"to show a certificate of yours: --cert FILE, and --key FILE if its key is in another one"}
	case errors.Is(err, fetchers.ErrProxy) && errors.Is(err, fetchers.ErrLogin):
		return []string{"to log in at the proxy: -U NAME:PASSWORD"}
	case errors.Is(err, fetchers.ErrLogin):
		return []string{"to log in: -u NAME:PASSWORD, or a line in ~/.netrc"}
	case errors.Is(err, fs.ErrNotExist) && (is[record.OutputError](err) || is[*download.FileError](err)):
		return []string{"to make directories: --create-dirs"}
	case errors.Is(err, fetchers.ErrRange):
		return []string{"to fetch all of it: leave out -r and -C"}
	}
	return nil
}

// certificateWanted reports whether a Gemini server wants a client certificate, or another one
// than was shown.
func certificateWanted(err error) bool {
	about, ok := errors.AsType[*fetchers.Error](err)
	status, refused := errors.AsType[*fetchers.StatusError](err)
	return ok && refused && strings.HasPrefix(about.URL, "gemini:") && status.Code >= 60
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
