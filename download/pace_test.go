package download

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestPace plays downloads whose connections have a rate each and a limit
// together, and wants a number of connections in the end.
func TestPace(t *testing.T) {
	for name, test := range map[string]struct {
		each, all float64
		most      int
		want      int
	}{
		"each is held back":        {2 << 20, 1 << 40, 4, 4},
		"three may be":             {2 << 20, 1 << 40, 3, 3},
		"all together are":         {2 << 20, 2 << 20, 4, 2},
		"two of them fill the way": {2 << 20, 4 << 20, 8, 4},
		"one is fast":              {100 << 20, 100 << 20, 4, 1},
		"nothing comes":            {0, 0, 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := pace{most: test.most, working: 1}
			now, count := time.Unix(0, 0), 0.0
			for range 40 {
				p.working += p.more(int64(count), now, false)
				now = now.Add(pulse)
				count += min(test.each*float64(p.working), test.all) * pulse.Seconds()
			}
			if p.working != test.want {
				t.Errorf("%d connections, want %d", p.working, test.want)
			}
		})
	}
}

// TestPaceOfBursts plays a server that holds each connection back by sending what it may
// have for a second at once, as nginx does. Only what comes gives the pace a beat.
func TestPaceOfBursts(t *testing.T) {
	const each, tick = 2 << 20, 10 * time.Millisecond
	p := pace{most: 4, working: 1}
	start := time.Unix(0, 0)
	begun, last, count := []time.Duration{0}, time.Duration(0), int64(0)
	p.more(0, start, false)
	for at := tick; at < 3*time.Second; at += tick {
		before := count
		for _, b := range begun {
			if (at-b)%time.Second < 200*time.Millisecond {
				count += each / 20
			}
		}
		if count == before || at-last < pulse {
			continue
		}
		last = at
		for n := p.more(count, start.Add(at), false); n > 0; n-- {
			begun = append(begun, at)
			p.working++
		}
	}
	if p.working != 4 || begun[3] > 1100*time.Millisecond {
		t.Errorf("the connections began at %v", begun)
	}
	if worth := p.worth(); worth > 3<<20/2 {
		t.Errorf("a connection has to have %d octets to do", worth)
	}
}

// TestComplement holds it against a map of octets.
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
