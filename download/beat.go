package download

import "time"

// A beat is a ticker that the arrival of data drives, so that it does not tick while a connection
// is idle. A pending timer would slow down fast downloads: the runtime keeps a thread waiting for
// it in poll, and every packet at a socket wakes that thread.
type beat struct {
	C     chan time.Time
	every time.Duration
	last  time.Time
}

func newBeat(every time.Duration, now time.Time) beat {
	return beat{make(chan time.Time, 1), every, now}
}

// tick ticks, unless the last tick was too recent or has not been received yet.
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
