package transport_test

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

func TestExpansion(t *testing.T) {
	for _, c := range []struct {
		in, out, most int64
		ok            bool
	}{
		{1, 16 << 20, transport.MaxExpanded, true},
		{1, 16<<20 + 1, transport.MaxExpanded, false},
		{1 << 20, 200 << 20, transport.MaxExpanded, true},
		{1 << 20, 201 << 20, transport.MaxExpanded, false},
		{1 << 30, 16 << 30, transport.MaxExpanded, true},
		{1 << 30, 16<<30 + 1, transport.MaxExpanded, false},
		{10, 11, 10, false},
	} {
		if err := transport.CheckExpansion(c.in, c.out, c.most); (err == nil) != c.ok || err != nil && !errors.Is(err, fetchers.ErrCoding) {
			t.Errorf("%d from %d, at most %d: %v", c.out, c.in, c.most, err)
		}
	}
}
