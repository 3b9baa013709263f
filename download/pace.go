package download

import "time"

const (
	// pulse is how often it is decided whether more connections help.
	pulse = 150 * time.Millisecond

	// gain is by how much further connections must speed a download up to be
	// followed by more of them.
	gain = 1.15

	// fast is the rate, in octets a second, of a connection that nobody holds
	// back, so that another one would only take from it.
	fast = 64 << 20

	// ahead is for how long a connection has to have work to be worth it.
	ahead = 500 * time.Millisecond
)

// A pace decides how many connections a download takes. Their number doubles while
// that brings more, and while there are pauses: what the way can carry comes without
// them, and who sends in bursts holds each connection back.
type pace struct {
	most    int  // at a time
	eager   bool // to have that many, whether they help or not
	working int

	begun  time.Time // at the first pulse
	at     time.Time // of the last pulse
	count  int64     // of octets then
	before float64   // the rate when connections were last added
	settle bool      // they were added at the last pulse
	enough bool      // further ones would not help
}

// more returns how many connections to add, now that count octets have come. While
// one waits to be answered nothing can be said.
func (p *pace) more(count int64, now time.Time, waits bool) int {
	if p.eager {
		return p.most - p.working
	}
	if p.at.IsZero() {
		p.begun = now
	}
	if p.at.IsZero() || waits {
		p.at, p.count = now, count
		return 0
	}
	span := now.Sub(p.at)
	paused, settles := span > 2*pulse, p.settle
	rate := float64(count-p.count) / max(span.Seconds(), 0.001)
	p.at, p.count, p.settle = now, count, false
	switch {
	case p.working >= p.most, rate == 0, rate >= fast*float64(p.working):
		return 0
	case paused:
	case settles, p.enough:
		return 0
	case rate < gain*p.before:
		p.enough = true
		return 0
	}
	p.before, p.settle = rate, true
	return min(p.working, p.most-p.working)
}

// worth returns the least that a connection has to have to do, by what they have brought
// so far.
func (p *pace) worth() int64 {
	each := float64(p.count) / max(p.at.Sub(p.begun).Seconds(), 1) / float64(max(p.working, 1))
	return max(leastSegment, int64(each*ahead.Seconds()))
}
