package stack

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// hashed begins the hash of a public key: the SHA-256 of its SubjectPublicKeyInfo follows, in
// base64 (RFC 7469, section 2.4).
const hashed = "sha256//"

// pins are the hashes of the public keys that servers may have. If there are none, a server may
// have any key.
type pins [][sha256.Size]byte

// readPins returns the hashes in the value of --pinnedpubkey, or that of the key in the file
// that it names. The error is a record.UsageError or a record.InputError.
func readPins(ctx context.Context, value string) (pins, error) {
	switch {
	case value == "":
		return nil, nil
	case strings.HasPrefix(value, hashed):
		all, err := parsePins(value)
		if err != nil {
			return nil, record.UsageError{Err: err}
		}
		return all, nil
	}
	data, err := pipe.Contents(ctx, value)
	if err != nil {
		return nil, record.InputError{Err: err}
	}
	if block, _ := pem.Decode(data); block != nil {
		data = block.Bytes
	}
	if _, err := x509.ParsePKIXPublicKey(data); err != nil {
		return nil, record.InputError{Err: fmt.Errorf("%s: no public key in it", value)}
	}
	return pins{sha256.Sum256(data)}, nil
}

// parsePins reads hashes with ";" between them.
func parsePins(text string) (all pins, err error) {
	for hash := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
		digits, found := strings.CutPrefix(strings.TrimSpace(hash), hashed)
		sum, err := base64.StdEncoding.DecodeString(digits)
		if !found || err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("--pinnedpubkey wants %sBASE64 with 32 bytes, and a ; between two of them, not %q", hashed, url.Redact(hash))
		}
		all = append(all, [sha256.Size]byte(sum))
	}
	return all, nil
}

// check returns record.ErrPinned unless the server has one of the keys.
func (p pins) check(state tls.ConnectionState) error {
	if p == nil {
		return nil
	}
	key := sha256.Sum256(state.PeerCertificates[0].RawSubjectPublicKeyInfo)
	if slices.Contains(p, key) {
		return nil
	}
	return fmt.Errorf("%w: the server has the key %s%s", record.ErrPinned, hashed, base64.StdEncoding.EncodeToString(key[:]))
}
