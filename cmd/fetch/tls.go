package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// tlsFlags say whom to trust.
type tlsFlags struct {
	insecure bool
	cacert   string
	cert     string
	key      string
	min12    bool
	min13    bool
}

func (f *tlsFlags) add(flags *pflag.FlagSet) {
	flags.BoolVarP(&f.insecure, "insecure", "k", false, "trust any certificate")
	flags.StringVar(&f.cacert, "cacert", "", "trust the authorities in `FILE` (PEM), and no others")
	flags.StringVar(&f.cert, "cert", "", "show the certificate in `FILE` (PEM) to the origin of each URL, but to no other")
	flags.StringVar(&f.key, "key", "", "take its key from `FILE` (PEM), if it is not in that of --cert")
	flags.BoolVar(&f.min12, "tlsv1.2", false, "use TLS 1.2 or later (default)")
	flags.BoolVar(&f.min13, "tlsv1.3", false, "use TLS 1.3 or later")
}

// config returns the settings for TLS; nil are the usual ones.
func (f *tlsFlags) config(ctx context.Context) (*tls.Config, error) {
	if *f == (tlsFlags{}) {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: f.insecure, MinVersion: tls.VersionTLS12}
	if f.min13 {
		c.MinVersion = tls.VersionTLS13
	}
	if f.cacert != "" {
		pem, err := contents(ctx, f.cacert)
		if err != nil {
			return nil, inputError{err}
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, inputError{fmt.Errorf("%s: no certificate in it", f.cacert)}
		}
	}
	if f.cert == "" {
		return c, nil
	}
	cert, err := contents(ctx, f.cert)
	if err != nil {
		var unread *fs.PathError
		if errors.As(err, &unread) {
			unread.Path = maskedValue("cert", unread.Path, http.MaskedSent)
		}
		return nil, inputError{err}
	}
	key := cert
	if f.key != "" {
		if key, err = contents(ctx, f.key); err != nil {
			return nil, inputError{err}
		}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, inputError{err}
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
