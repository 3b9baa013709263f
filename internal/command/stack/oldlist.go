package stack

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"time"
)

// An oldList is a list of version 1, which has no number and no extensions (RFC 5280, section 5.1).
// The program openssl makes such lists by default, and package x509 reads version 2 only.
type oldList struct {
	TBS struct {
		Raw        asn1.RawContent
		Algorithm  pkix.AlgorithmIdentifier
		Issuer     asn1.RawValue
		ThisUpdate time.Time
		NextUpdate time.Time `asn1:"optional"`
		Revoked    []struct {
			Serial *big.Int
			Time   time.Time
		} `asn1:"optional"`
		Extensions []pkix.Extension `asn1:"optional,explicit,tag:0"` // there are none in version 1
	}
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
}

// signatures are the algorithms by which an oldList is signed, by their object identifiers.
var signatures = map[string]x509.SignatureAlgorithm{
	"1.2.840.113549.1.1.11": x509.SHA256WithRSA,
	"1.2.840.113549.1.1.12": x509.SHA384WithRSA,
	"1.2.840.113549.1.1.13": x509.SHA512WithRSA,
	"1.2.840.10045.4.3.2":   x509.ECDSAWithSHA256,
	"1.2.840.10045.4.3.3":   x509.ECDSAWithSHA384,
	"1.2.840.10045.4.3.4":   x509.ECDSAWithSHA512,
	"1.3.101.112":           x509.PureEd25519,
}

var errOldList = errors.New("no list of version 1")

// parseOldList returns an oldList as a list of version 2 without extensions. The signature and the
// signed bytes have to name the same algorithm.
func parseOldList(der []byte) (*x509.RevocationList, error) {
	var old oldList
	if rest, err := asn1.Unmarshal(der, &old); err != nil || len(rest) > 0 {
		return nil, errOldList
	}
	algorithm, known := signatures[old.Algorithm.Algorithm.String()]
	if len(old.TBS.Extensions) > 0 || !known || !old.TBS.Algorithm.Algorithm.Equal(old.Algorithm.Algorithm) {
		return nil, errOldList
	}
	l := &x509.RevocationList{
		Raw: der, RawTBSRevocationList: old.TBS.Raw, RawIssuer: old.TBS.Issuer.FullBytes,
		SignatureAlgorithm: algorithm, Signature: old.Signature.RightAlign(),
		ThisUpdate: old.TBS.ThisUpdate, NextUpdate: old.TBS.NextUpdate,
	}
	for _, r := range old.TBS.Revoked {
		l.RevokedCertificateEntries = append(l.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: r.Serial, RevocationTime: r.Time})
	}
	return l, nil
}
