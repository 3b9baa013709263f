package ardp

import "time"

// maxSends is how often a request is sent without any progress.
const maxSends = 4

// maxWaits limits how often a server may ask for more time. Each time restarts the timer, within
// the stall limit.
const maxWaits = 10

// A retryTimer decides when to repeat a request, and when to fail.
type retryTimer struct {
	first time.Duration // the initial wait
	base  time.Duration // the initial wait, or the time that the server has asked for
	stall time.Duration // maximum time without progress; 0 means no limit besides the waits
	limit time.Duration // maximum time of the reply since began; 0 means no limit
	began time.Time     // when the request was sent, or the server last asked for time

	wait  time.Duration // the current one
	sends int           // since the last progress, or the beginning
	waits int           // number of times that the server has asked for time
	since time.Time     // time of the last progress
	until time.Time     // end of the current wait

	paused time.Time // start of a pause between two Reads
}

// pause stops the clock, and resume restarts it.
func (p *retryTimer) pause() { p.paused = time.Now() }

func (p *retryTimer) resume() {
	if !p.paused.IsZero() {
		pause := time.Since(p.paused)
		p.since, p.until, p.began = p.since.Add(pause), p.until.Add(pause), p.began.Add(pause)
	}
}

// renew restarts the timer after progress.
func (p *retryTimer) renew() {
	p.wait, p.sends, p.since = p.base, 1, time.Now()
	p.arm()
}

func (p *retryTimer) arm() {
	p.until = time.Now().Add(p.wait)
	if end := p.since.Add(p.stall); p.stall > 0 && end.Before(p.until) {
		p.until = end
	}
	if end := p.began.Add(p.limit); p.limit > 0 && end.Before(p.until) {
		p.until = end
	}
}

// late reports whether the reply has taken longer than limit.
func (p *retryTimer) late() bool { return p.limit > 0 && time.Since(p.began) >= p.limit }

// over reports whether the expired wait was the last one. Otherwise it starts the next wait, twice
// as long.
func (p *retryTimer) over() bool {
	if p.late() || p.sends == maxSends || p.stall > 0 && time.Since(p.since) >= p.stall {
		return true
	}
	p.sends++
	p.wait *= 2
	p.arm()
	return false
}

// ask sets the wait that a server asks for in seconds; 0 cancels an earlier one. It reports whether
// that changes anything.
func (p *retryTimer) ask(seconds int) bool {
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
