package ardp

import "time"

// maxSends is how often a request is sent while nothing new comes.
const maxSends = 4

// maxWaits is how many times a server may ask for time. Each begins the wait anew,
// up to the stall limit.
const maxWaits = 10

// A patience says when to ask again, and when to give up.
type patience struct {
	first time.Duration // the wait to begin with
	base  time.Duration // the same, or what the server has asked for
	stall time.Duration // how long nothing new may come; 0 is as long as the waits are
	limit time.Duration // how long the reply may take since began; 0 is no limit
	began time.Time     // when the request was sent, or the server last asked for time

	wait  time.Duration // the present one
	sends int           // since something new came, or the beginning
	waits int           // that the server has asked for
	since time.Time     // when something new came
	until time.Time     // the end of the present wait

	paused time.Time // since when nobody waits
}

// pause stops the clock, and resume lets it go on.
func (p *patience) pause() { p.paused = time.Now() }

func (p *patience) resume() {
	if !p.paused.IsZero() {
		pause := time.Since(p.paused)
		p.since, p.until, p.began = p.since.Add(pause), p.until.Add(pause), p.began.Add(pause)
	}
}

// renew begins anew, since there was something new.
func (p *patience) renew() {
	p.wait, p.sends, p.since = p.base, 1, time.Now()
	p.arm()
}

func (p *patience) arm() {
	p.until = time.Now().Add(p.wait)
	if end := p.since.Add(p.stall); p.stall > 0 && end.Before(p.until) {
		p.until = end
	}
	if end := p.began.Add(p.limit); p.limit > 0 && end.Before(p.until) {
		p.until = end
	}
}

// late reports whether the reply has taken longer than limit.
func (p *patience) late() bool { return p.limit > 0 && time.Since(p.began) >= p.limit }

// over reports whether the wait that has passed was the last one, and otherwise
// begins the next, which is twice as long.
func (p *patience) over() bool {
	if p.late() || p.sends == maxSends || p.stall > 0 && time.Since(p.since) >= p.stall {
		return true
	}
	p.sends++
	p.wait *= 2
	p.arm()
	return false
}

// ask takes the seconds that a server asks for; 0 takes an earlier plea back. It
// reports whether that changes anything.
func (p *patience) ask(seconds int) bool {
	base := max(p.first, time.Duration(seconds)*time.Second)
	switch {
	case seconds == 0 && p.base == p.first, seconds > 0 && p.waits == maxWaits:
		return false
	case seconds > 0:
		p.waits++
		p.began = time.Now()
	}
	p.base = base
	p.renew()
	return true
}
