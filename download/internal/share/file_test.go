package share_test

import (
	"slices"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
)

// TestConnectionsOfTheFirstAnswer counts the connections that start with the first response.
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

// TestUnstatedStreamIsNotCutShort checks a stream without a stated offset: only its end proves
// where it began.
func TestUnstatedStreamIsNotCutShort(t *testing.T) {
	f := share.NewFile(100*mib, []share.Span{{From: mib, To: 100 * mib}}, 1, share.Limits{Most: 4, Exact: true})
	f.Begin(80*ms, 80*ms)
	if _, actions := f.Answered(80*ms, 0, share.Promise{To: 100 * mib}); len(actions) > 0 {
		t.Errorf("%v", actions)
	}
}

// TestSilentServer checks a server that answers and then sends nothing. It gets only a few more
// requests, each after twice the time, so that the caller's timeout ends the download.
func TestSilentServer(t *testing.T) {
	const size = 8 * mib
	f := share.NewFile(size, []share.Span{{From: 0, To: size}}, 1, share.Limits{Most: 4, Exact: true})
	now := 20 * ms
	f.Begin(now, now)
	asked := 0
	var do func(actions []share.Action)
	do = func(actions []share.Action) {
		for _, a := range slices.Clone(actions) {
			if a.Do == share.Drop {
				do(f.Failed(now, a.Conn))
				continue
			}
			asked++
			_, more := f.Answered(now, a.Conn, share.Promise{To: a.To, Stated: true})
			do(more)
		}
	}
	_, actions := f.Answered(now, 0, share.Promise{To: size, Stated: true})
	do(actions)
	for left, _ := f.Left(3); left > 0; left, _ = f.Left(3) { // the last one works as long as there are bytes
		f.Claim(3, left)
		do(f.Received(now, 3, left))
		do(f.Ended(now, 3))
	}
	asked = 0
	for ; now < time.Minute; now += 150 * ms {
		do(f.Tick(now))
	}
	if asked < 3 || asked > 24 {
		t.Errorf("asked %d times in a minute", asked)
	}
}
