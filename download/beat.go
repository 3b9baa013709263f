package download

import "time"

// A beat is a time.Ticker that is driven by what comes, so that it does not tick while
// nothing does. A pending timer would slow down what is fast: the runtime has a thread
// wait for it in poll, which all that arrives at a socket wakes up.
type beat struct {
	C     chan time.Time
	every time.Duration
	last  time.Time
}

func newBeat(every time.Duration, now time.Time) beat {
	return beat{make(chan time.Time, 1), every, now}
}

// tick ticks, unless it is too early or the last tick has not been heard yet.
func (b *beat) tick(now time.Time) {
	if now.Sub(b.last) < b.every {
		return
	}
	select {
	case b.C <- now:
		b.last = now
	default:
	}
}
