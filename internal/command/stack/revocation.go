package stack

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed1ea3422f/fetch/internal/command/pipe"
)

// revocations are the lists of revoked certificates in the file of --crlfile (RFC 5280, section
// 5).
type revocations []*x509.RevocationList

// readLists returns the lists in a file, or nil if there is no file.
func readLists(ctx context.Context, file string) (revocations, error) {
	if file == "" {
		return nil, nil
	}
	data, err := pipe.Contents(ctx, file)
	if err != nil {
		return nil, err
	}
	var lists revocations
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "X509 CRL" {
			continue
		}
		list, err := x509.ParseRevocationList(block.Bytes)
		if err != nil {
			old, other := parseOldList(block.Bytes)
			if other != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			list = old
		}
		lists = append(lists, list)
	}
	if lists == nil {
		return nil, fmt.Errorf("%s: no list of revoked certificates (X509 CRL) in it", file)
	}
	return lists, nil
}

// check returns an error unless the certificates of a server lead to an authority without a revoked
// one among them. As for curl, each certificate must not be on the list of its issuer, and each
// issuer, the authority included, needs a list.
func (ls revocations) check(state tls.ConnectionState, now func() time.Time) error {
	if now == nil {
		now = time.Now
	}
	failed := errors.New("no chain of certificates")
	for _, chain := range state.VerifiedChains {
		if failed = ls.checkChain(chain, now()); failed == nil {
			return nil
		}
	}
	return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: failed}
}

func (ls revocations) checkChain(chain []*x509.Certificate, now time.Time) error {
	for i, c := range chain {
		issuer := chain[min(i+1, len(chain)-1)]
		if err := ls.checkOne(c, issuer, now); err != nil {
			return fmt.Errorf("%s: %w", c.Subject, err)
		}
	}
	return nil
}

// checkOne returns an error if c is revoked, or if its issuer has no usable list.
func (ls revocations) checkOne(c, issuer *x509.Certificate, now time.Time) error {
	listed, failed := false, errors.New("--crlfile has no list of its issuer")
	for _, l := range ls {
		if !bytes.Equal(l.RawIssuer, c.RawIssuer) {
			continue
		}
		if err := usable(l, issuer, now); err != nil {
			failed = err
			continue
		}
		revoked := func(e x509.RevocationListEntry) bool { return e.SerialNumber.Cmp(c.SerialNumber) == 0 }
		if slices.ContainsFunc(l.RevokedCertificateEntries, revoked) {
			return errors.New("the certificate is revoked")
		}
		listed = true
	}
	if listed {
		return nil
	}
	return failed
}

// usable returns an error for a list that proves nothing. A list with a critical extension is not a
// complete one of its issuer: it is a delta, or has some certificates only (RFC 5280, section 5.2).
func usable(l *x509.RevocationList, issuer *x509.Certificate, now time.Time) error {
	if err := l.CheckSignatureFrom(issuer); err != nil {
		return fmt.Errorf("the list of its issuer in --crlfile: %w", err)
	}
	switch {
	case now.Before(l.ThisUpdate):
		return errors.New("the list of its issuer in --crlfile is not yet valid")
	case !l.NextUpdate.IsZero() && now.After(l.NextUpdate):
		return errors.New("the list of its issuer in --crlfile has expired")
	}
	for _, e := range l.Extensions {
		if e.Critical {
			return errors.New("the list of its issuer in --crlfile is a part of one only")
		}
	}
	return nil
}
