package share_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
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

// A run is a connection in TestEachOctetHasOnePlace.
type run struct {
	share.Action
	answered bool
}

// TestEachOctetHasOnePlace plays random events. At any time each octet has come, or belongs to one
// connection or gap. As long as one ends well, nothing is left in the end.
func TestEachOctetHasOnePlace(t *testing.T) {
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 2))
		size := int64(1+draw.IntN(40)) * mib
		sources := 1 + draw.IntN(3)
		f := share.NewFile(size, []share.Span{{From: 0, To: size}}, sources, share.Limits{Most: 1 + draw.IntN(16), Exact: draw.IntN(2) == 0})
		came := int64(0)
		now := time.Duration(1+draw.IntN(200)) * ms
		running := map[int]*run{0: {Action: share.Action{Span: f.Begin(now, now)}}}
		do := func(actions []share.Action) {
			actions = slices.Clone(actions)
			for len(actions) > 0 {
				a := actions[0]
				actions = actions[1:]
				if a.Do == share.Ask {
					running[a.Conn] = &run{Action: a}
				} else if a.Do == share.Repeat {
					came -= a.Len()
				} else if running[a.Conn] != nil {
					delete(running, a.Conn)
					actions = append(actions, f.Failed(now, a.Conn)...)
				}
			}
		}
		failures, failed := draw.IntN(4), false // the latest connection that ended
		for len(running) > 0 {
			now += time.Duration(draw.IntN(20)) * ms
			var ids []int
			for id := range running {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			id := ids[draw.IntN(len(ids))]
			r := running[id]
			switch {
			case failures > 0 && draw.IntN(20) == 0:
				failures--
				failed = true
				delete(running, id)
				do(f.Failed(now, id))
			case draw.IntN(20) == 0:
				do(f.Tick(now))
			case !r.answered:
				r.answered = true
				needed, actions := f.Answered(now, id, share.Promise{To: r.To, Stated: draw.IntN(5) > 0})
				do(actions)
				if !needed {
					failed = false
					delete(running, id)
					do(f.Ended(now, id))
				}
			default:
				_, n, _ := f.Claim(id, int64(1+draw.IntN(1<<20)))
				came += n
				do(f.Received(now, id, n))
				if _, left, _ := f.Claim(id, 1); left == 0 {
					failed = false
					delete(running, id)
					do(f.Ended(now, id))
				} else {
					f.Claim(id, 0)
				}
			}
			missing := f.Missing()
			slices.SortFunc(missing, func(a, b share.Span) int { return cmp.Compare(a.From, b.From) })
			sum, to := came, int64(0)
			for _, s := range missing {
				if s.From < to || s.Len() <= 0 {
					t.Fatalf("seed %d: %v", seed, missing)
				}
				sum, to = sum+s.Len(), s.To
			}
			if sum != size {
				t.Fatalf("seed %d: of %d octets %d came, and %v are missing", seed, size, came, missing)
			}
		}
		if !failed && came < size {
			t.Errorf("seed %d: a connection has ended well, and %v are left", seed, f.Missing())
		}
	}
}
