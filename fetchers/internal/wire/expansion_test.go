package wire_test

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

func TestExpansion(t *testing.T) {
	for _, c := range []struct {
		in, out, most int64
		ok            bool
	}{
		{1, 16 << 20, wire.MaxExpanded, true},
		{1, 16<<20 + 1, wire.MaxExpanded, false},
		{1 << 20, 200 << 20, wire.MaxExpanded, true},
		{1 << 20, 201 << 20, wire.MaxExpanded, false},
		{1 << 30, 16 << 30, wire.MaxExpanded, true},
		{1 << 30, 16<<30 + 1, wire.MaxExpanded, false},
		{10, 11, 10, false},
	} {
		if err := wire.CheckExpansion(c.in, c.out, c.most); (err == nil) != c.ok || err != nil && !errors.Is(err, fetchers.ErrCoding) {
			t.Errorf("%d from %d, at most %d: %v", c.out, c.in, c.most, err)
		}
	}
}
