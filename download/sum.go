package download

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// ErrChecksum means that a file does not have the required content. It is fetchers.ErrChecksum.
var ErrChecksum = fetchers.ErrChecksum

// A Sum is the required hash of the content of a file. The zero Sum allows any content.
type Sum struct {
	algorithm string
	want      string // in lower case hexadecimal
}

var algorithms = map[string]func() hash.Hash{
	"sha256": sha256.New, "sha512": sha512.New, "sha1": sha1.New, "md5": md5.New,
}

// ParseSum parses ALGORITHM:HEX, where the algorithm is sha256, sha512, sha1 or md5.
func ParseSum(s string) (Sum, error) {
	algorithm, digits, _ := strings.Cut(s, ":")
	algorithm = strings.ToLower(algorithm)
	begin, ok := algorithms[algorithm]
	if !ok {
		return Sum{}, fmt.Errorf("unknown checksum %q: it has to be sha256, sha512, sha1 or md5, a colon and the digits", algorithm)
	}
	octets, err := hex.DecodeString(digits)
	if err != nil || len(octets) != begin().Size() {
		return Sum{}, fmt.Errorf("a %s checksum has %d hexadecimal digits", algorithm, 2*begin().Size())
	}
	return Sum{algorithm, hex.EncodeToString(octets)}, nil
}

// String returns s in the form of ParseSum, or "" for the zero Sum.
func (s Sum) String() string {
	if s.algorithm == "" {
		return ""
	}
	return s.algorithm + ":" + s.want
}

// holds reports whether the content of a file has the hash s, or s is zero.
func (s Sum) holds(name string) bool {
	for _, p := range proofs(s) {
		f, err := os.Open(name)
		if err != nil {
			return false
		}
		defer f.Close()
		if _, err := io.Copy(p.hash, f); err != nil || p.check() != nil {
			return false
		}
	}
	return true
}

// A proof is a Sum, and the hash that is computed for comparison.
type proof struct {
	Sum
	hash hash.Hash
}

// proofs starts hashes for sums. It skips zero sums and duplicates.
func proofs(sums ...Sum) (all []proof) {
	for i, s := range sums {
		if s.algorithm != "" && !slices.Contains(sums[:i], s) {
			all = append(all, proof{s, algorithms[s.algorithm]()})
		}
	}
	return all
}

// check returns the error of the first proof that fails.
func check(proofs []proof) error {
	for _, p := range proofs {
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

// check compares the computed hash with the Sum.
func (p proof) check() error {
	if got := hex.EncodeToString(p.hash.Sum(nil)); got != p.want {
		return fmt.Errorf("%w: %s is %s and should be %s", ErrChecksum, p.algorithm, got, p.want)
	}
	return nil
}
