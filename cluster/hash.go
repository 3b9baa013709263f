package cluster

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/seed1ea3422f/fetch/url"
)

// A hash is the name of a URL in the set of those that have a record: half of the SHA-256 of its
// canonical form without the fragment.
type hash [16]byte

func hashOf(text string) hash {
	sum := sha256.Sum256([]byte(text))
	return hash(sum[:16])
}

// hashOfURL returns the hash of a URL, or of the text if that is no URL.
func hashOfURL(u *url.URL, text string) hash {
	if u == nil {
		return hashOf("text " + text)
	}
	c := u.Canonical()
	c.Fragment = ""
	return hashOf(c.String())
}

// A mark says that a URL has a record, of which generation.
type mark struct {
	hash       hash
	generation uint8
}

const markSize = 17

// name returns the mark as the key of a map in JSON.
func (m mark) name() string {
	return base64.RawURLEncoding.EncodeToString(append(m.hash[:], m.generation))
}

// encodeMarks returns marks as the text of a header field.
func encodeMarks(marks []mark) string {
	octets := make([]byte, 0, len(marks)*markSize)
	for _, m := range marks {
		octets = append(append(octets, m.hash[:]...), m.generation)
	}
	return base64.StdEncoding.EncodeToString(octets)
}

// decodeMarks returns the marks of a header field.
func decodeMarks(text string) ([]mark, error) {
	octets, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("marks: %w", err)
	}
	if len(octets)%markSize != 0 {
		return nil, fmt.Errorf("marks of %d octets", len(octets))
	}
	marks := make([]mark, 0, len(octets)/markSize)
	for ; len(octets) > 0; octets = octets[markSize:] {
		marks = append(marks, mark{hash(octets[:16]), octets[16]})
	}
	return marks, nil
}
