package share_test

import (
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download/share"
)

// TestConnectionsOfTheFirstAnswer counts the connections that are made at once when the first one
// is answered.
func TestConnectionsOfTheFirstAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		size   int64
		setup  time.Duration
		limits share.Limits
		want   int
	}{
		"a large file":              {100 * mib, 80 * ms, share.Limits{Most: 16}, 0},
		"a small file":              {2*mib - 1, 80 * ms, share.Limits{Most: 16}, 0},
		"one connection":            {100 * mib, 80 * ms, share.Limits{Most: 1}, 0},
		"the number of a user":      {100 * mib, 80 * ms, share.Limits{Most: 5, Exact: true}, 4},
		"a user wants one":          {100 * mib, 80 * ms, share.Limits{Most: 1, Exact: true}, 0},
		"a server next door":        {100 * mib, ms, share.Limits{Most: 16}, 0},
		"a user's number next door": {100 * mib, ms, share.Limits{Most: 5, Exact: true}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			f := share.NewFile(test.size, []share.Span{{From: 0, To: test.size}}, 1, test.limits)
			f.Begin(test.setup, test.setup)
			_, actions := f.Answered(test.setup, 0, share.Promise{To: test.size, Stated: true})
			if len(actions) != test.want {
				t.Errorf("%v", actions)
			}
		})
	}
}

// TestUnstatedStreamIsNotCutShort: only the end of such a stream proves where it began.
func TestUnstatedStreamIsNotCutShort(t *testing.T) {
	f := share.NewFile(100*mib, []share.Span{{From: mib, To: 100 * mib}}, 1, share.Limits{Most: 4, Exact: true})
	f.Begin(80*ms, 80*ms)
	if _, actions := f.Answered(80*ms, 0, share.Promise{To: 100 * mib}); len(actions) > 0 {
		t.Errorf("%v", actions)
	}
}
