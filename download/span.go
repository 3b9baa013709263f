package download

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A span is a range of bytes of a file, from from up to but not including to. In JSON it is
// [from,to].
type span struct{ from, to int64 }

func (s span) len() int64 { return s.to - s.from }

// within returns s as the Range of a request, for a file of the given size. A span up to the end of
// the file has no Length.
func (s span) within(size int64) fetchers.Range {
	if s.to == size {
		return fetchers.Range{Offset: s.from}
	}
	return fetchers.Range{Offset: s.from, Length: s.len()}
}

// MarshalJSON writes s as a pair.
func (s span) MarshalJSON() ([]byte, error) { return json.Marshal([2]int64{s.from, s.to}) }

// UnmarshalJSON reads a pair.
func (s *span) UnmarshalJSON(text []byte) error {
	var pair [2]int64
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	s.from, s.to = pair[0], pair[1]
	if s.from < 0 || s.to <= s.from {
		return errors.New("not a span")
	}
	return nil
}

// complement returns the gaps between spans in a file of the given size. The spans may be in any
// order.
func complement(spans []span, size int64) []span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var rest []span
	next := int64(0)
	for _, s := range spans {
		if s.from > next {
			rest = append(rest, span{next, min(s.from, size)})
		}
		next = max(next, s.to)
	}
	if next < size {
		rest = append(rest, span{next, size})
	}
	return rest
}
