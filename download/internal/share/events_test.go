package share_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
)

// A play carries out the actions of a File. Its servers answer late or never, refuse, cut off and
// stall, and its connections write while others start or are dropped.
type play struct {
	t       *testing.T
	seed    uint64
	draw    *rand.Rand
	file    *share.File
	size    int64
	limits  share.Limits
	now     time.Duration
	came    int64
	sources int
	fails   int // number of connections that may still fail
	running map[int]*part
	usable  map[int]bool // connections that have ended without an error
}

// A part is a connection of a play.
type part struct {
	share.Action
	answered, dropped, late, refuses, silent, still bool
	at, claimed                                     int64 // of the current write
	moved                                           bool  // the system moves the bytes and cannot end the stream
}

func newPlay(t *testing.T, seed uint64) *play {
	draw := rand.New(rand.NewPCG(seed, 2))
	p := &play{
		t: t, seed: seed, draw: draw, size: int64(1+draw.IntN(30)) * mib, fails: draw.IntN(6),
		limits:  share.Limits{Most: 1 + draw.IntN(16), Exact: draw.IntN(3) == 0},
		now:     time.Duration(1+draw.IntN(200)) * ms,
		sources: 1 + max(draw.IntN(5)-2, 0),
		running: make(map[int]*part), usable: make(map[int]bool),
	}
	missing := []share.Span{{From: 0, To: p.size}}
	if draw.IntN(3) == 0 {
		missing = nil
		for at := draw.Int64N(mib); at < p.size; at += 1 + draw.Int64N(mib) {
			from := at
			at = min(at+1+draw.Int64N(4*mib), p.size)
			missing = append(missing, share.Span{From: from, To: at})
		}
	}
	p.came = p.size - share.Sum(missing)
	p.file = share.NewFile(p.size, missing, p.sources, p.limits)
	p.running[0] = &part{Action: share.Action{Span: p.file.Begin(p.now, p.now)}}
	return p
}

// do carries out actions.
func (p *play) do(actions []share.Action) {
	for _, a := range slices.Clone(actions) {
		switch c := p.running[a.Conn]; {
		case a.Do == share.Repeat:
			p.came -= a.Len()
		case a.Do == share.Drop && c != nil:
			c.dropped, c.late = true, !c.answered
		case a.Do == share.Ask && (c != nil || a.From < 0 || a.Len() <= 0 || a.To > p.size):
			p.t.Fatalf("seed %d: %+v, while there is %+v", p.seed, a, c)
		case a.Do == share.Ask:
			p.running[a.Conn] = &part{Action: a, refuses: p.one(30), silent: p.one(6), still: p.one(8)}
		}
	}
	if n := p.file.Working(); n > p.limits.Most {
		p.t.Fatalf("seed %d: %d connections work, and there may be %d", p.seed, n, p.limits.Most)
	}
}

// one is true once in n times.
func (p *play) one(n int) bool { return p.draw.IntN(n) == 0 }

// step makes a random event happen on a connection.
func (p *play) step() {
	if p.now += time.Duration(p.draw.IntN(20)) * ms; p.one(100) {
		p.now += 4 * time.Second
	}
	ids := make([]int, 0, len(p.running))
	for id := range p.running {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := ids[p.draw.IntN(len(ids))]
	switch c := p.running[id]; {
	case p.one(15):
		p.do(p.file.Tick(p.now))
	case c.claimed > 0:
		p.write(id, c)
	case c.answered && p.one(20): // an event without bytes
		left, _ := p.file.Left(id)
		p.do(p.file.Received(p.now, id, 0))
		if n, _ := p.file.Left(id); n > left {
			p.t.Fatalf("seed %d: %+v has brought nothing, and gets more", p.seed, c)
		}
	case c.dropped && p.one(4), !c.answered && c.refuses && p.mayFail(), c.answered && p.one(200) && p.mayFail():
		p.end(id, true)
	case !c.answered && c.silent && !p.one(50), c.answered && c.still && !p.one(50):
	case !c.answered:
		c.answered = true
		needed, actions := p.file.Answered(p.now, id, share.Promise{To: c.To, Stated: c.To < p.size || !p.one(5)})
		p.do(actions)
		if !needed {
			p.end(id, false)
		}
	default:
		left, last := p.file.Left(id)
		n := min(1+p.draw.Int64N(mib/4), left)
		if c.moved = p.one(2) && (last || n > 1); c.moved && !last {
			n = min(n, left-1)
		}
		if c.at, c.claimed = p.file.Claim(id, n); c.claimed == 0 {
			p.end(id, false)
		}
	}
}

// mayFail reports whether a connection may fail, and counts the failure.
func (p *play) mayFail() bool {
	p.fails--
	return p.fails >= 0
}

// write writes the claimed bytes that still belong to the connection.
func (p *play) write(id int, c *part) {
	if at, n := p.file.Claim(id, c.claimed); at != c.at || n != c.claimed {
		p.t.Fatalf("seed %d: %d bytes at %d were claimed, and are %d at %d now", p.seed, c.claimed, c.at, n, at)
	}
	n := c.claimed
	c.claimed = 0
	p.came += n
	p.do(p.file.Received(p.now, id, n))
	if left, last := p.file.Left(id); left == 0 && !last && !c.moved {
		p.end(id, false)
	}
}

// end ends a connection.
func (p *play) end(id int, failed bool) {
	c := p.running[id]
	delete(p.running, id)
	left, last := p.file.Left(id)
	p.usable[id] = !c.late && (!failed && !c.dropped || c.dropped && p.sources == 1)
	if failed {
		p.do(p.file.Failed(p.now, id))
		return
	}
	if left > 0 && !c.dropped {
		p.t.Fatalf("seed %d: %d bytes are left, the last of them %v", p.seed, left, last)
	}
	p.do(p.file.Ended(p.now, id))
}

// check checks that each byte either has arrived or is missing exactly once.
func (p *play) check() {
	all := p.file.Missing()
	slices.SortFunc(all, func(a, b share.Span) int { return cmp.Compare(a.From, b.From) })
	sum, to := p.came, int64(0)
	for _, s := range all {
		if s.From < to || s.Len() <= 0 || s.To > p.size {
			p.t.Fatalf("seed %d: %v", p.seed, all)
		}
		sum, to = sum+s.Len(), s.To
	}
	if sum != p.size {
		p.t.Fatalf("seed %d: of %d bytes %d came, and %v are missing", p.seed, p.size, p.came, all)
	}
	for id, c := range p.running {
		if left, last := p.file.Left(id); c.answered && c.claimed == 0 && !c.dropped && left == 0 && !last {
			p.t.Fatalf("seed %d: %+v stands still, and has nothing to bring", p.seed, c)
		}
	}
}

// TestEachOctetHasOnePlace plays random events. At any time each byte has arrived, or belongs to
// exactly one connection or gap. If any connection works, nothing is missing at the end.
func TestEachOctetHasOnePlace(t *testing.T) {
	for seed := range uint64(1000) {
		p := newPlay(t, seed)
		for steps := 0; len(p.running) > 0; steps++ {
			if steps == 100_000 {
				t.Fatalf("seed %d: it does not end; missing %v", seed, p.file.Missing())
			}
			p.step()
			p.check()
		}
		if left := p.file.Missing(); len(left) > 0 && slices.Contains(slices.Collect(maps.Values(p.usable)), true) {
			t.Fatalf("seed %d: %v are left, and there is %v", seed, left, p.usable)
		}
	}
}
