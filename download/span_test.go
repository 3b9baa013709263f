package download

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestComplement compares complement with a map of bytes.
func TestComplement(t *testing.T) {
	for range 1000 {
		const size = 40
		var spans []span
		var there [size]bool
		for range rand.N(6) {
			from := rand.N(int64(size))
			s := span{from, from + 1 + rand.N(size-from)}
			spans = append(spans, s)
			for i := s.from; i < s.to; i++ {
				there[i] = true
			}
		}
		rest := complement(spans, size)
		for _, s := range rest {
			for i := s.from; i < s.to; i++ {
				if there[i] {
					t.Fatalf("%v: %v has %d", spans, rest, i)
				}
				there[i] = true
			}
		}
		if slices.Contains(there[:], false) {
			t.Fatalf("%v: %v lacks something", spans, rest)
		}
	}
}
