package line

import (
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// TestLaneDelays: at 1 Mbit/s, 1,250 bytes take 10 ms, and then half of the round trip.
func TestLaneDelays(t *testing.T) {
	l := newLane(Options{Mbit: 1, RTT: 40 * ms, Queue: 25 * ms}, 0)
	for i, c := range []struct {
		now, due time.Duration
		f        fate
	}{
		{0, 30 * ms, arrives},
		{0, 40 * ms, arrives}, // behind the first
		{0, 50 * ms, arrives},
		{0, 0, full}, // 30 ms of the line wait
		{5 * ms, 60 * ms, arrives},
		{100 * ms, 130 * ms, arrives}, // the line was idle
	} {
		if due, f := l.send(c.now, 1250); due != c.due || f != c.f {
			t.Errorf("packet %d, sent at %v, has due %v and fate %d, want %v and %d", i, c.now, due, f, c.due, c.f)
		}
	}
}

// Equal seeds lose the same packets, and the share of lost packets is about Loss.
func TestLaneLoses(t *testing.T) {
	losses := func(seed uint64) (at []int) {
		l := newLane(Options{Mbit: 1000, Seed: seed}, 0.005)
		for i := range 100_000 {
			if _, f := l.send(time.Duration(i)*ms, 1250); f == lost {
				at = append(at, i)
			}
		}
		return at
	}
	first, again, other := losses(1), losses(1), losses(2)
	if !slices.Equal(first, again) {
		t.Error("one seed has lost other packets the second time")
	}
	if slices.Equal(first, other) {
		t.Error("two seeds have lost the same packets")
	}
	if n := len(first); n < 400 || n > 600 {
		t.Errorf("of 100,000 packets %d are lost, want about 500", n)
	}
}

func TestBegun(t *testing.T) {
	packet := func(change func(p []byte)) []byte {
		p := make([]byte, 40)
		p[0], p[9] = 0x45, 6
		copy(p[20:], []byte{0x9c, 0x40, 0, 80})
		p[33] = 0x02
		change(p)
		return p
	}
	for name, c := range map[string]struct {
		packet []byte
		ok     bool
	}{
		"SYN":                    {packet(func([]byte) {}), true},
		"SYN with ACK":           {packet(func(p []byte) { p[33] = 0x12 }), false},
		"ACK":                    {packet(func(p []byte) { p[33] = 0x10 }), false},
		"UDP":                    {packet(func(p []byte) { p[9] = 17 }), false},
		"IPv6":                   {packet(func(p []byte) { p[0] = 0x65 }), false},
		"short":                  {packet(func([]byte) {})[:39], false},
		"a header past its end":  {packet(func(p []byte) { p[0] = 0x4f }), false},
		"nothing in the packet":  {nil, false},
		"a header without words": {packet(func(p []byte) { p[0] = 0x40; p[13] = 0 }), false},
	} {
		f, ok := begun(c.packet)
		if ok != c.ok || ok && f != (flow{40000, 80}) {
			t.Errorf("%s: begun returns %v, %v", name, f, ok)
		}
	}
}
