package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
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
	f.StringVar(&v.nats, "nats", nats.DefaultURL, "URL of the NATS server, or several with commas between them")
	f.StringVar(&v.job, "job", "fetch", "name of the job")
	f.StringVar(&v.creds, "creds", "", "file with the NATS credentials")
	f.StringVar(&v.nkey, "nkey", "", "file with the NATS key (seed)")
	f.StringVar(&v.ca, "tls-ca", "", "file with the certificates of the authorities to be trusted")
	f.StringVar(&v.cert, "tls-cert", "", "file with the certificate for TLS")
	f.StringVar(&v.key, "tls-key", "", "file with the key of the certificate")
	f.IntVar(&v.replicas, "replicas", 0, "servers that keep a new job (0: 3 of a cluster, or 1)")
	f.Int64Var(&v.maxBytes, "max-bytes", 0, "size of the pages, and of the records, of a new job in bytes (0: the disk)")
}

// open connects to the server, and opens the job. The caller calls close.
func (v *server) open(ctx context.Context, s streams) (store *cluster.Store, close func(), err error) {
	options := []nats.Option{
		nats.Name("fetchd"), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.RetryOnFailedConnect(false),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				s.say("the connection to the NATS server is lost: %v", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { s.say("connected to the NATS server again") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each request has its own error
	}
	if v.creds != "" {
		options = append(options, nats.UserCredentials(v.creds))
	}
	if v.nkey != "" {
		key, err := nats.NkeyOptionFromSeed(v.nkey)
		if err != nil {
			return nil, nil, record.InputError{Err: fmt.Errorf("--nkey %s: %w", v.nkey, err)}
		}
		options = append(options, key)
	}
	config, err := v.tls()
	if err != nil {
		return nil, nil, err
	}
	if config != nil {
		options = append(options, nats.Secure(config))
	}
	if err := v.guarded(config != nil); err != nil {
		return nil, nil, err
	}
	conn, err := nats.Connect(v.nats, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("NATS server %s: %w", masked(v.nats), err)
	}
	store, err = cluster.Open(ctx, conn, cluster.Options{Job: v.job, Replicas: v.replicas, MaxBytes: v.maxBytes})
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return store, conn.Close, nil
}

// guarded refuses a login that would be sent in clear beyond this machine.
func (v *server) guarded(secure bool) error {
	if secure {
		return nil
	}
	for _, text := range strings.Split(v.nats, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Scheme == "tls" || u.Scheme == "wss" {
			continue
		}
		ip := net.ParseIP(u.Hostname())
		local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
		if _, password := u.User.Password(); password && !local {
			return record.UsageError{Err: errors.New("--nats: a password is not sent in clear beyond this machine: use tls:// or --tls-ca")}
		}
	}
	return nil
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

// masked returns URLs of servers without their users.
func masked(list string) string {
	var shown []string
	for _, text := range strings.Split(list, ",") {
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil && u.Host != "" {
			shown = append(shown, u.Redacted())
		}
	}
	return strings.Join(shown, ",")
}
