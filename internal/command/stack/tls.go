package stack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// tlsConfig returns the settings for TLS with servers; nil are the usual ones. It reads the
// files of --cacert, --cert, --key, --pinnedpubkey and --crlfile. The error is a
// record.UsageError, or a record.InputError for a file that cannot be read.
func tlsConfig(ctx context.Context, o option.TLS) (*tls.Config, error) {
	o.SSL, o.SSLReqd = false, false // they decide when TLS is used, not how
	if o == (option.TLS{}) {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: o.Insecure}
	if err := offer(c, o); err != nil {
		return nil, record.UsageError{Err: err}
	}
	if err := trust(ctx, c, o.CACert); err != nil {
		return nil, record.InputError{Err: err}
	}
	if err := show(ctx, c, o.Cert, o.Key); err != nil {
		return nil, record.InputError{Err: err}
	}
	return c, verify(ctx, c, o)
}

// offer writes into c the versions, ciphers and key exchanges that the client offers to servers.
func offer(c *tls.Config, o option.TLS) (err error) {
	c.MinVersion = tls.VersionTLS12
	if o.Min13 {
		c.MinVersion = tls.VersionTLS13
	}
	switch o.Max {
	case "", "default", "1.3":
	case "1.2":
		c.MaxVersion = tls.VersionTLS12
		if o.Min13 {
			return errors.New("--tls-max 1.2 and --tlsv1.3 leave no version of TLS")
		}
	case "1.0", "1.1":
		return fmt.Errorf("--tls-max %s: that version is broken, and no client may use it (RFC 8996)", o.Max)
	default:
		return fmt.Errorf("--tls-max wants 1.2, 1.3 or default, not %q", url.Redact(o.Max))
	}
	if c.CipherSuites, err = parseCiphers(o.Ciphers); err != nil {
		return err
	}
	c.CurvePreferences, err = parseCurves(o.Curves)
	return err
}

// trust has c trust the authorities in a file, and no others. If there is no file, those of the
// system stay.
func trust(ctx context.Context, c *tls.Config, file string) error {
	if file == "" {
		return nil
	}
	pem, err := pipe.Contents(ctx, file)
	if err != nil {
		return err
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s: no certificate in it", file)
	}
	return nil
}

// show has c show the certificate in a file, if there is one. Its key is in the same file if
// keyFile is "".
func show(ctx context.Context, c *tls.Config, certFile, keyFile string) error {
	if certFile == "" {
		return nil
	}
	pair, err := certificate(ctx, certFile, keyFile)
	if err == nil {
		c.Certificates = []tls.Certificate{pair}
	}
	return err
}

// certificate reads a certificate and its key.
func certificate(ctx context.Context, certFile, keyFile string) (tls.Certificate, error) {
	cert, err := pipe.Contents(ctx, certFile)
	if err != nil {
		var unread *fs.PathError
		if errors.As(err, &unread) { // curl takes FILE:PASSWORD
			flag, _ := option.Lookup("cert") // as --proxy-cert
			unread.Path = flag.Masked(unread.Path)
		}
		return tls.Certificate{}, err
	}
	key := cert
	if keyFile != "" {
		if key, err = pipe.Contents(ctx, keyFile); err != nil {
			return tls.Certificate{}, err
		}
	}
	return tls.X509KeyPair(cert, key)
}

// verify has c hold each connection against --pinnedpubkey and --crlfile, also one that resumes
// a session.
func verify(ctx context.Context, c *tls.Config, o option.TLS) error {
	pinned, err := readPins(ctx, o.Pinned)
	if err != nil {
		return err
	}
	lists, err := readLists(ctx, o.CRLFile)
	if err != nil {
		return record.InputError{Err: err}
	}
	if pinned == nil && lists == nil {
		return nil
	}
	c.VerifyConnection = func(state tls.ConnectionState) error {
		if lists != nil && !o.Insecure {
			if err := lists.check(state, c.Time); err != nil {
				return err
			}
		}
		return pinned.check(state)
	}
	return nil
}
