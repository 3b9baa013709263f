package gemini

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A Pin identifies the remembered certificate of a server.
type Pin struct {
	Fingerprint string    // the SHA-256 of the certificate, in 64 hexadecimal digits of lower case
	Expires     time.Time // expiry time of the certificate
}

// PinOf returns the Pin of a certificate.
func PinOf(cert *x509.Certificate) Pin {
	sum := sha256.Sum256(cert.Raw)
	return Pin{hex.EncodeToString(sum[:]), cert.NotAfter.UTC()}
}

// String returns the fingerprint with the name of its hash.
func (p Pin) String() string { return "sha256:" + p.Fingerprint }

// A Store remembers a Pin for each server. It has to be safe for concurrent use.
type Store interface {
	// Update calls decide with the Pin for addr, a host and port, or the zero Pin. If decide
	// returns another Pin and no error, the Store replaces the Pin. Update returns the error of
	// decide. The Store may call decide again if the Pin has changed meanwhile, so that concurrent
	// first fetches of a server agree on one Pin.
	Update(ctx context.Context, addr string, decide func(kept Pin) (Pin, error)) error
}

// A Memory is a Store in memory. The zero Memory is empty.
type Memory struct {
	// Max is how many servers the Memory remembers; 0 means any number. The certificates of
	// further servers are not remembered: each fetch of them is a first one.
	Max int

	mu   sync.Mutex
	pins map[string]Pin
}

// Update implements [Store].
func (m *Memory) Update(_ context.Context, addr string, decide func(kept Pin) (Pin, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	pin, err := decide(m.pins[addr])
	if err != nil {
		return err
	}
	if m.pins == nil {
		m.pins = make(map[string]Pin)
	}
	if _, known := m.pins[addr]; known || m.Max <= 0 || len(m.pins) < m.Max {
		m.pins[addr] = pin
	}
	return nil
}

// A ChangedError means that a server has another certificate than the remembered one. It is an
// ErrUntrusted.
type ChangedError struct {
	Addr        string // host and port
	Kept, Shown Pin
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the certificate of %s has changed: %v is shown, and %v is known, which expires on %s",
		e.Addr, e.Shown, e.Kept, e.Kept.Expires.Format(time.DateOnly))
}

// Unwrap returns ErrUntrusted.
func (e *ChangedError) Unwrap() error { return fetchers.ErrUntrusted }

// config returns the TLS settings for req. If the Fetcher's settings do not determine which
// certificates are trusted, the authorities of the system and the Store do.
func (f *Fetcher) config(ctx context.Context, req *fetchers.Request) *tls.Config {
	config := transport.TLSConfig(f.TLS, req.URL.Host, req.Named)
	if config.RootCAs != nil || config.InsecureSkipVerify {
		return config
	}
	further := config.VerifyConnection
	config.InsecureSkipVerify = true
	config.VerifyConnection = func(state tls.ConnectionState) error {
		s := shown{addr: req.URL.Addr(), cert: state.PeerCertificates[0], now: time.Now()}
		if config.Time != nil {
			s.now = config.Time()
		}
		state.VerifiedChains, s.doubt = verify(state, config.ServerName, s.now)
		if err := s.update(ctx, f.store()); err != nil {
			return err
		}
		if further != nil {
			return further(state)
		}
		return nil
	}
	return config
}

func (f *Fetcher) store() Store {
	if f.Store != nil {
		return f.Store
	}
	return &f.memory
}

// verify makes the checks of crypto/tls that InsecureSkipVerify disables.
func verify(state tls.ConnectionState, host string, now time.Time) ([][]*x509.Certificate, error) {
	opts := x509.VerifyOptions{DNSName: host, CurrentTime: now, Intermediates: x509.NewCertPool()}
	for _, cert := range state.PeerCertificates[1:] {
		opts.Intermediates.AddCert(cert)
	}
	return state.PeerCertificates[0].Verify(opts)
}

// shown is the certificate of a server that has to be judged.
type shown struct {
	addr  string
	cert  *x509.Certificate
	doubt error // error of the verification by authorities; nil if it succeeds
	now   time.Time
}

// update updates store with the certificate, and reports a new or changed Pin to the Trace of ctx.
func (s shown) update(ctx context.Context, store Store) error {
	var before, after Pin
	err := store.Update(ctx, s.addr, func(kept Pin) (_ Pin, err error) {
		before = kept
		after, err = s.judge(kept)
		return after, err
	})
	switch trace := fetchers.ContextTrace(ctx); {
	case err != nil, before.Fingerprint == after.Fingerprint:
	case before.Fingerprint == "":
		trace.Note(fmt.Sprintf("the certificate of %s is seen for the first time, and remembered: %v", s.addr, after))
	case s.doubt != nil:
		trace.Warn(fmt.Sprintf("the certificate of %s had expired, and another one takes its place: %v", s.addr, after))
	default:
		trace.Note(fmt.Sprintf("the certificate of %s is another one, for which an authority vouches: %v", s.addr, after))
	}
	return err
}

// judge returns the new Pin of the server, or an error if the certificate is not trusted.
func (s shown) judge(kept Pin) (Pin, error) {
	pin := PinOf(s.cert)
	switch {
	case kept.Fingerprint == pin.Fingerprint, s.doubt == nil:
		return pin, nil
	case s.now.Before(s.cert.NotBefore), s.now.After(s.cert.NotAfter):
		invalid := x509.CertificateInvalidError{Cert: s.cert, Reason: x509.Expired}
		return kept, &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{s.cert}, Err: invalid}
	case kept.Fingerprint == "", s.now.After(kept.Expires):
		return pin, nil
	}
	return kept, &ChangedError{s.addr, kept, pin}
}
