package fetchers_test

import (
	"errors"
	"math"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestRangeIn(t *testing.T) {
	const size = 10
	for _, c := range []struct {
		r, want fetchers.Range
		size    int64
		open    bool
	}{
		{fetchers.Range{}, fetchers.Range{Length: 10}, size, true},
		{fetchers.Range{}, fetchers.Range{}, 0, true},
		{fetchers.Range{Length: fetchers.ToEnd}, fetchers.Range{Length: 10}, size, true},
		{fetchers.Range{Length: 3}, fetchers.Range{Length: 3}, size, false},
		{fetchers.Range{Length: 30}, fetchers.Range{Length: 10}, size, false},
		{fetchers.Range{Offset: 4}, fetchers.Range{Offset: 4, Length: 6}, size, true},
		{fetchers.Range{Offset: 4, Length: fetchers.ToEnd}, fetchers.Range{Offset: 4, Length: 6}, size, true},
		{fetchers.Range{Offset: 4, Length: math.MaxInt64 - 2}, fetchers.Range{Offset: 4, Length: 6}, size, true},
		{fetchers.Range{Offset: 9, Length: 1}, fetchers.Range{Offset: 9, Length: 1}, size, false},
		{fetchers.Range{Offset: -3}, fetchers.Range{Offset: 7, Length: 3}, size, true},
		{fetchers.Range{Offset: -30, Length: 2}, fetchers.Range{Length: 10}, size, true},
		{fetchers.Range{Offset: -3}, fetchers.Range{}, 0, true},
	} {
		got, err := c.r.In(c.size)
		if got != c.want || err != nil || c.r.Open() != c.open {
			t.Errorf("%+v of %d bytes: %+v, %v, open %v; want %+v, open %v", c.r, c.size, got, err, c.r.Open(), c.want, c.open)
		}
	}
}

func TestRangeBeyondTheEnd(t *testing.T) {
	for _, c := range []struct {
		r    fetchers.Range
		size int64
	}{
		{fetchers.Range{Offset: 10}, 10},
		{fetchers.Range{Offset: 11, Length: 2}, 10},
		{fetchers.Range{Offset: math.MaxInt64, Length: math.MaxInt64}, 10},
		{fetchers.Range{Length: fetchers.ToEnd}, 0},
		{fetchers.Range{Length: 5}, 0},
	} {
		_, err := c.r.In(c.size)
		var beyond *fetchers.RangeError
		if !errors.Is(err, fetchers.ErrRange) || !errors.As(err, &beyond) || beyond.Size != c.size || beyond.Offset != c.r.Offset {
			t.Errorf("%+v of %d bytes: %v, want a RangeError", c.r, c.size, err)
		}
	}
	if _, err := (fetchers.Range{Offset: 1, Length: -1}).In(10); !errors.Is(err, fetchers.ErrRange) {
		t.Errorf("a length less than 0: %v, want ErrRange", err)
	}
}
