package term

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// Failures of the system and of TLS are told in plain words, whatever wraps them, and with the
// next step where there is one.
func TestWords(t *testing.T) {
	to := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: err} }
	system := func(err error) error { return dial(os.NewSyscallError("connect", err)) }
	trust := func(err error) error {
		return fetchers.NewError("connect", nil, fetchers.TLS(&tls.CertificateVerificationError{Err: err}))
	}
	named := &x509.Certificate{DNSNames: []string{"a.example", "b.example"}, IPAddresses: []net.IP{net.IPv6loopback}}
	many := &x509.Certificate{DNSNames: strings.Fields("a b c d e")}
	old := &x509.Certificate{NotAfter: time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)}
	young := &x509.Certificate{NotBefore: time.Now().Add(48 * time.Hour)}
	foreign := &x509.Certificate{Issuer: pkix.Name{CommonName: "Any"}, Subject: pkix.Name{CommonName: "h"}}
	output := func(err error) error {
		return record.OutputError{Err: &fs.PathError{Op: "open", Path: "d/a.part", Err: err}}
	}
	for _, c := range []struct {
		err        error
		want, hint string
	}{
		{system(syscall.ECONNREFUSED), "127.0.0.1:9 refused the connection", ""},
		{fmt.Errorf("connect x: %w (after 2 tries)", system(syscall.ECONNREFUSED)), "connect x: 127.0.0.1:9 refused the connection (after 2 tries)", ""},
		{errors.Join(system(syscall.ECONNREFUSED), system(syscall.ENETUNREACH)), "127.0.0.1:9 refused the connection: there is no way to 127.0.0.1:9", ""},
		{system(syscall.EHOSTUNREACH), "there is no way to 127.0.0.1:9", ""},
		{dial(os.ErrDeadlineExceeded), "no answer from 127.0.0.1:9", ""},
		{&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, "the connection was reset", ""},
		{fmt.Errorf("read x: %w: 5 of 9 bytes are missing", io.ErrUnexpectedEOF), "read x: the connection ended too early: 5 of 9 bytes are missing", ""},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, "the server broke off the handshake: handshake failure", ""},
		{dial(&net.DNSError{Err: "no such host", Name: "h.example", IsNotFound: true}), "cannot resolve host h.example", ""},
		{&net.DNSError{Err: "i/o timeout", Name: "h.example", IsTimeout: true}, "no name server answered about host h.example", ""},
		{&net.DNSError{Err: "server misbehaving", Name: "h.example"}, "cannot resolve host h.example: server misbehaving", ""},
		{&net.DNSError{Err: "read udp a->b: read: connection refused", Name: "h.example", Server: "b"}, "cannot resolve host h.example: name server b: connection refused", ""},
		{trust(x509.UnknownAuthorityError{Cert: foreign}), "its certificate is signed by an authority that is not trusted: CN=Any", "--cacert"},
		{trust(x509.UnknownAuthorityError{Cert: &x509.Certificate{}}), "its certificate is signed by itself, and by no authority", "--cacert"},
		{trust(x509.HostnameError{Certificate: named, Host: "h.example"}), "its certificate is for a.example, b.example, ::1, and not for h.example", "-k"},
		{trust(x509.HostnameError{Certificate: many, Host: "h"}), "its certificate is for a, b, c and 2 more, and not for h", "-k"},
		{trust(x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"a\nfetch: b"}}, Host: "h"}), "its certificate is for a: fetch: b, and not for h", "-k"},
		{trust(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}), "its certificate is for no host at all, and not for h", "-k"},
		{trust(x509.CertificateInvalidError{Cert: old, Reason: x509.Expired}), "its certificate expired on 2001-02-03", "-k"},
		{trust(x509.CertificateInvalidError{Cert: young, Reason: x509.Expired}), "its certificate is valid only from " + young.NotBefore.UTC().Format(time.DateOnly) + " on", "-k"},
		{fetchers.TLS(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), "the server has no TLS at this port", "without TLS"},
		{output(syscall.ENOSPC), "cannot write d/a: there is no space left", ""},
		{output(syscall.EACCES), "cannot write d/a: permission denied", ""},
		{output(syscall.ENOENT), "cannot write d/a: its directory does not exist", "--create-dirs"},
		{&fs.PathError{Op: "open", Path: "a", Err: syscall.ENOENT}, "open a: no such file or directory", ""},
		{errors.New("other"), "other", ""},
	} {
		got, next := Words(c.err), strings.Join(hints(c.err), "\n")
		if !strings.HasSuffix(got, c.want) || !strings.Contains(next, c.hint) || (c.hint == "") != (next == "") {
			t.Errorf("%v: %q, %q; want %q, %q", c.err, got, next, c.want, c.hint)
		}
		for _, raw := range []string{"dial tcp", "x509:", "tls:", "lookup"} {
			if strings.Contains(got, raw) {
				t.Errorf("%q has %q", got, raw)
			}
		}
	}
}
