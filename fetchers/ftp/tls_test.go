package ftp_test

import (
	"crypto/tls"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// The scripts in the directory required have servers without TLS, and a client that requires it.
func TestRequiredScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/ftp/required/*.txt", func() fetchers.Fetcher {
		return &ftp.Fetcher{AuthTLS: ftp.Required}
	})
}

// The scripts in the directory offered have servers without TLS, and a client that uses it if offered.
func TestOfferedScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/ftp/offered/*.txt", func() fetchers.Fetcher {
		return &ftp.Fetcher{AuthTLS: ftp.IfOffered}
	})
}

// secured returns a server and a Fetcher that trusts it.
func secured(t *testing.T, policy ftp.TLSPolicy, opts ...ftptest.Option) (*ftptest.Server, *ftp.Fetcher) {
	t.Helper()
	server := ftptest.NewServer(files, opts...)
	f := &ftp.Fetcher{AuthTLS: policy, TLS: &tls.Config{RootCAs: server.Roots()}}
	t.Cleanup(server.Close)
	t.Cleanup(f.CloseIdle)
	return server, f
}

// get fetches and reads a URL.
func get(t *testing.T, f fetchers.Fetcher, u string) (string, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		return "", err
	}
	defer res.Close()
	got, err := io.ReadAll(res.Body)
	return string(got), err
}

// The commands before and after the start of TLS.
func TestTLSConversation(t *testing.T) {
	server, f := secured(t, ftp.Required, ftptest.StartTLS())
	if got, err := get(t, f, server.URL+"/pub/deep/a/b.txt"); got != "b\n" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	want := strings.Split("AUTH TLS|USER anonymous|PASS ftp@example.com|FEAT|TYPE I|PBSZ 0|PROT P|"+
		"CWD pub|CWD deep|CWD a|SIZE b.txt|EPSV|RETR b.txt", "|")
	if got := server.Transcript(); !slices.Equal(got, want) {
		t.Errorf("the server heard\n%q, want\n%q", got, want)
	}
}

// An untrusted certificate is refused before any command is sent.
func TestCertificates(t *testing.T) {
	for name, mode := range map[string]ftptest.Option{"explicit": ftptest.StartTLS(), "implicit": ftptest.TLS()} {
		t.Run(name, func(t *testing.T) {
			server, trusting := secured(t, ftp.IfOffered, mode)
			for name, config := range map[string]*tls.Config{
				"an unknown authority": nil,
				"another name":         {RootCAs: trusting.TLS.RootCAs, ServerName: "ftp.example.com"},
			} {
				_, err := get(t, &ftp.Fetcher{AuthTLS: ftp.IfOffered, TLS: config}, server.URL+"/pub/deep/a/b.txt")
				var verification *tls.CertificateVerificationError
				if !errors.As(err, &verification) {
					t.Errorf("%s: %v, want a certificate error", name, err)
				}
			}
			for _, line := range server.Transcript() {
				if line != "AUTH TLS" {
					t.Errorf("the client said %q", line)
				}
			}
		})
	}
}

// Text that is injected before TLS is not taken for a reply.
func TestInjection(t *testing.T) {
	server, f := secured(t, ftp.Required, ftptest.StartTLS(), ftptest.Inject(strings.Repeat("200 injected\r\n", 20)))
	got, err := get(t, f, server.URL+"/pub/deep/a/b.txt")
	if got != "b\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// close_notify confirms the end of the data. Without it, SIZE must.
func TestNoNotify(t *testing.T) {
	size := int64(len(content))
	for _, c := range []struct {
		name  string
		fault ftptest.Fault
		size  bool
		whole bool
	}{
		{"half of it", ftptest.Fault{After: size / 2, Do: ftptest.NoNotify}, false, false},
		{"all of it, without SIZE", ftptest.Fault{After: size, Do: ftptest.NoNotify}, false, false},
		{"all of it, and SIZE agrees", ftptest.Fault{After: size, Do: ftptest.NoNotify}, true, true},
		{"half of it with close_notify, and SIZE does not agree", ftptest.Fault{After: size / 2}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := []ftptest.Option{ftptest.StartTLS(), ftptest.Faults(c.fault)}
			if !c.size {
				opts = append(opts, ftptest.Without("SIZE", "MLST"))
			}
			server, f := secured(t, ftp.Required, opts...)
			got, err := get(t, f, server.URL+"/pub/poem.txt")
			if c.whole && (err != nil || got != string(content)) || !c.whole && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// If the server does not support TLS for data connections, a transfer fails, or uses no TLS if the
// policy allows that.
func TestUnprotectedData(t *testing.T) {
	for _, policy := range []ftp.TLSPolicy{ftp.IfOffered, ftp.Required} {
		server, f := secured(t, policy, ftptest.StartTLS(), ftptest.Reply("PROT", "536 No."))
		got, err := get(t, f, server.URL+"/pub/deep/a/b.txt")
		if policy == ftp.IfOffered && (got != "b\n" || err != nil) || policy == ftp.Required && !errors.Is(err, fetchers.ErrBlocked) {
			t.Errorf("policy %d: %q, %v", policy, got, err)
		}
		asked := slices.ContainsFunc(server.Transcript(), func(line string) bool {
			return line == "EPSV" || strings.Contains(line, "b.txt") || strings.HasPrefix(line, "CWD")
		})
		if asked != (policy == ftp.IfOffered) {
			t.Errorf("policy %d: the server heard %q", policy, server.Transcript())
		}
	}
}

// Each control connection has its own session cache, for servers that overwrite the tickets of one
// with those of another.
func TestSessionsAreReused(t *testing.T) {
	for name, version := range map[string]uint16{"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			server, f := secured(t, ftp.Required, ftptest.StartTLS(), ftptest.RequireReuse())
			f.TLS.MinVersion, f.TLS.MaxVersion = version, version
			f.NoReuse = true
			for _, path := range []string{"/pub/poem.txt", "/pub/", "/pub/deep;type=d", "/pub/deep/a/b.txt"} {
				if _, err := get(t, f, server.URL+path); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		})
	}
}

// A server that requires session resumption reports that on the control connection only.
func TestSessionIsNotReused(t *testing.T) {
	for name, version := range map[string]uint16{"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13} {
		server, f := secured(t, ftp.Required, ftptest.StartTLS(), ftptest.RequireReuse())
		f.TLS.MaxVersion, f.TLS.SessionTicketsDisabled = version, true
		got, err := get(t, f, server.URL+"/pub/poem.txt")
		var refused *fetchers.StatusError
		if got != "" || !errors.As(err, &refused) || refused.Code != 522 {
			t.Errorf("%s: %d bytes, %v; want 522", name, len(got), err)
		}
	}
}
