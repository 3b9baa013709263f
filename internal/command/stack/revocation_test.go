package stack

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/record"
)

// list returns a list of a in PEM that revokes a certificate, or none if that is nil. change
// changes it before it is signed; nil changes nothing.
func (a *authority) list(t *testing.T, revoked *x509.Certificate, change func(*x509.RevocationList)) string {
	t.Helper()
	l := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(time.Hour)}
	if revoked != nil {
		l.RevokedCertificateEntries = []x509.RevocationListEntry{{SerialNumber: revoked.SerialNumber, RevocationTime: time.Now()}}
	}
	if change != nil {
		change(l)
	}
	der, err := x509.CreateRevocationList(rand.Reader, l, a.cert, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return inPEM("X509 CRL", der)
}

// oldList returns a list of version 1, in which more has no place. forged changes its signature.
func (a *authority) oldList(t *testing.T, revoked *x509.Certificate, forged bool, more ...pkix.Extension) string {
	t.Helper()
	algorithm := pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}}
	type entry struct {
		Serial *big.Int
		Time   time.Time
	}
	tbs := struct {
		Algorithm              pkix.AlgorithmIdentifier
		Issuer                 asn1.RawValue
		ThisUpdate, NextUpdate time.Time
		Revoked                []entry          `asn1:"optional,omitempty"`
		Extensions             []pkix.Extension `asn1:"optional,explicit,tag:0,omitempty"`
	}{Extensions: more, Algorithm: algorithm, Issuer: asn1.RawValue{FullBytes: a.cert.RawSubject}, ThisUpdate: time.Now().Add(-time.Hour).UTC(), NextUpdate: time.Now().Add(time.Hour).UTC()}
	if revoked != nil {
		tbs.Revoked = []entry{{revoked.SerialNumber, time.Now().UTC()}}
	}
	signed, err := asn1.Marshal(tbs)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(signed)
	if forged {
		sum[0]++
	}
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	der, err := asn1.Marshal(struct {
		TBS       asn1.RawValue
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}{asn1.RawValue{FullBytes: signed}, algorithm, asn1.BitString{Bytes: signature, BitLength: 8 * len(signature)}})
	if err != nil {
		t.Fatal(err)
	}
	return inPEM("X509 CRL", der)
}

// A certificate that is revoked is not trusted, wherever in the chain it is, and neither is one
// of an issuer that has no list which holds.
func TestRevocation(t *testing.T) {
	root := newAuthority(t, "root", nil)
	between := newAuthority(t, "between", root)
	impostor := newAuthority(t, "root", nil)
	signed := between.leaf(t, between)
	server := secureServer(t, &tls.Config{Certificates: []tls.Certificate{signed}}, hello)
	ca := root.file(t)
	of, none := root.list(t, nil, nil), between.list(t, nil, nil)
	part := pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 28}, Critical: true, Value: []byte{0x30, 0x03, 0x81, 0x01, 0xFF}}
	for _, c := range []struct {
		name, lists, want string // "" if it is fetched
	}{
		{"no certificate is revoked", of + none, ""},
		{"lists that do not concern it", newAuthority(t, "another", nil).list(t, nil, nil) + of + impostor.list(t, nil, nil) + none, ""},
		{"a list that is good, and one that has expired", of + none + between.list(t, nil, func(l *x509.RevocationList) { l.NextUpdate = time.Now().Add(-time.Minute) }), ""},
		{"lists of version 1", root.oldList(t, nil, false) + between.oldList(t, newAuthority(t, "x", nil).cert, false), ""},
		{"it is revoked by a list of version 1", of + between.oldList(t, signed.Leaf, false), "CN=server: the certificate is revoked"},
		{"a list of version 1 that is forged", of + between.oldList(t, nil, true), "CN=server: the list of its issuer in --crlfile: "},
		{"the certificate of the server is revoked", of + between.list(t, signed.Leaf, nil), "CN=server: the certificate is revoked"},
		{"it is, by the second list of its issuer", of + none + between.list(t, signed.Leaf, nil), "CN=server: the certificate is revoked"},
		{"that of its issuer is revoked", root.list(t, between.cert, nil) + none, "CN=between: the certificate is revoked"},
		{"the issuer has no list", of, "CN=server: --crlfile has no list of its issuer"},
		{"the root has no list", none, "CN=between: --crlfile has no list of its issuer"},
		{"the list of another with its name", impostor.list(t, nil, nil) + none, "CN=between: the list of its issuer in --crlfile: "},
		{"a list that has expired", of + between.list(t, nil, func(l *x509.RevocationList) { l.NextUpdate = time.Now().Add(-time.Minute) }), "CN=server: the list of its issuer in --crlfile has expired"},
		{"a list of tomorrow", of + between.list(t, nil, func(l *x509.RevocationList) { l.ThisUpdate = time.Now().Add(time.Minute) }), "is not yet valid"},
		{"a list of some certificates", of + between.list(t, nil, func(l *x509.RevocationList) { l.ExtraExtensions = []pkix.Extension{part} }), "is a part of one only"},
	} {
		got, err := body(t, server.URL, "--cacert", ca, "--crlfile", write(t, "lists.pem", c.lists))
		if c.want == "" {
			if err != nil || !strings.HasPrefix(got, "TLS ") {
				t.Errorf("%s: %q, %v", c.name, got, err)
			}
			continue
		}
		class, status := record.Classify(err)
		if class != record.ClassTLS || status != record.ExitUntrusted || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: status %d, %v; want %q", c.name, status, err, c.want)
		}
	}
}

// A file without a list is an input that cannot be read.
func TestListsThatCannotBeRead(t *testing.T) {
	root := newAuthority(t, "root", nil)
	part := pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 28}, Critical: true, Value: []byte{0x30, 0x00}}
	for _, file := range []string{"no/such/file", root.file(t), write(t, "list", root.oldList(t, nil, false, part)), write(t, "list", inPEM("X509 CRL", []byte("x")))} {
		_, err := Build(t.Context(), options(t, "--crlfile", file), silent())
		if _, status := record.Classify(err); status != record.ExitInput {
			t.Errorf("%s: %v", file, err)
		}
	}
}
