package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/cluster"
	"github.com/seed1ea3422f/fetch/record"
)

// A server is the place of a job, by the flags.
type server struct {
	nats     string
	job      string
	creds    string
	nkey     string
	ca       string
	cert     string
	key      string
	replicas int
	maxBytes int64
}

func (v *server) bind(f *pflag.FlagSet) {
	f.StringVar(&v.nats, "nats", "nats://127.0.0.1:4222", "URL of the NATS server, or several with commas between them")
	f.StringVar(&v.job, "job", "fetch", "name of the job")
	f.StringVar(&v.creds, "creds", "", "file with the NATS credentials")
	f.StringVar(&v.nkey, "nkey", "", "file with the NATS key (seed)")
	f.StringVar(&v.ca, "tls-ca", "", "file with the certificates of the authorities to be trusted")
	f.StringVar(&v.cert, "tls-cert", "", "file with the certificate for TLS")
	f.StringVar(&v.key, "tls-key", "", "file with the key of the certificate")
	f.IntVar(&v.replicas, "replicas", 0, "servers that keep a new job (0: 3 of a cluster, or 1)")
	f.Int64Var(&v.maxBytes, "max-bytes", 0, "size of the pages, and of the records, of a new job in bytes (0: the disk)")
}

// open connects to the server, and opens the job. The caller closes the Store.
func (v *server) open(ctx context.Context, s streams) (*cluster.Store, error) {
	config, err := v.tls()
	if err != nil {
		return nil, err
	}
	for _, file := range []string{v.creds, v.nkey} {
		if file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return nil, record.InputError{Err: err}
		}
	}
	say := func(text string) { s.say("%s", text) }
	return cluster.Dial(ctx, cluster.Server{URL: v.nats, TLS: config, Creds: v.creds, NKey: v.nkey, Say: say},
		cluster.Options{Job: v.job, Replicas: v.replicas, MaxBytes: v.maxBytes})
}

// tls returns the settings of the flags for TLS, or nil if there are none.
func (v *server) tls() (*tls.Config, error) {
	if v.ca == "" && v.cert == "" && v.key == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if v.ca != "" {
		text, err := os.ReadFile(v.ca)
		if err != nil {
			return nil, record.InputError{Err: err}
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, record.InputError{Err: fmt.Errorf("--tls-ca %s: no certificate in it", v.ca)}
		}
		c.ClientCAs = c.RootCAs
	}
	if v.cert != "" || v.key != "" {
		pair, err := tls.LoadX509KeyPair(v.cert, v.key)
		if err != nil {
			return nil, record.InputError{Err: err}
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
