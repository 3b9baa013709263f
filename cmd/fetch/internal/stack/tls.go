package stack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/pipe"
)

// tlsConfig returns the settings for TLS; nil are the usual ones. It reads the files of
// --cacert, --cert and --key.
func tlsConfig(ctx context.Context, o option.TLS) (*tls.Config, error) {
	o.SSL, o.SSLReqd = false, false // they say when TLS is used, not how
	if o == (option.TLS{}) {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12}
	if o.Min13 {
		c.MinVersion = tls.VersionTLS13
	}
	if o.CACert != "" {
		pem, err := pipe.Contents(ctx, o.CACert)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it", o.CACert)
		}
	}
	if o.Cert == "" {
		return c, nil
	}
	pair, err := certificate(ctx, o.Cert, o.Key)
	if err != nil {
		return nil, err
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// certificate reads a certificate and its key. They are in one file if keyFile is "".
func certificate(ctx context.Context, certFile, keyFile string) (tls.Certificate, error) {
	cert, err := pipe.Contents(ctx, certFile)
	if err != nil {
		var unread *fs.PathError
		if errors.As(err, &unread) { // curl takes FILE:PASSWORD
			flag, _ := option.Lookup("cert")
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

// trustOf returns the part of the settings that is good for a proxy: the trusted
// authorities, but neither our certificate nor --insecure.
func trustOf(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	return &tls.Config{RootCAs: config.RootCAs, MinVersion: config.MinVersion}
}
