package download

import (
	"context"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// patience is how long a source may take to answer, and how much longer than
// another one to send what is left, before it is taken for no help.
const patience = 3 * time.Second

// A source is a place that segments come from. Several are for a file of which it is
// known what it hashes to: nothing else proves that they have the same.
type source struct {
	req   *fetchers.Request
	state fetchers.Validator // of the file that is there; zero until it has told
	full  bool               // it is no good for further connections

	working int     // its connections, with those that are being made
	brought int64   // octets, in all
	counted int64   // of them when the rate was last measured
	rate    float64 // octets a second of each connection, lately; 0 if that is not known
}

// measure measures how fast each source has been for some time. What it was before
// counts as much.
func (s *segments) measure(span time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, src := range s.sources {
		running := 0
		for _, seg := range s.running {
			if seg.source == src {
				running++
			}
		}
		if running > 0 {
			rate := float64(src.brought-src.counted) / max(span.Seconds(), 0.001) / float64(running)
			if src.rate > 0 {
				rate = (rate + src.rate) / 2
			}
			src.rate = rate
		}
		src.counted = src.brought
	}
}

// choose returns the source that promises most to a further connection: one that was
// not tried yet, or the one whose connections bring most. It is nil if there is none.
// The caller has locked s.
func (s *segments) choose() (best *source) {
	for _, src := range s.sources {
		switch {
		case src.full:
		case src.working == 0 && src.rate == 0:
			return src
		case best == nil, src.rate > best.rate, src.rate == best.rate && src.working < best.working:
			best = src
		}
	}
	return best
}

// move gives seg to another source. The caller has locked the segments.
func (seg *segment) move(to *source) {
	seg.source.working--
	seg.source = to
	to.working++
}

// share returns how much of n octets src should take from another source, so that
// both get to the end at the same time.
func (src *source) share(n int64, from *source) int64 {
	if src == from || src.rate == 0 || from.rate == 0 {
		return n / 2
	}
	return int64(float64(n) * src.rate / (src.rate + from.rate))
}

// relieve gives what a source does not bring to another one that will: a segment
// that is not begun for long, and the rest of one that a source with nothing else to
// do would bring much sooner.
func (s *segments) relieve(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.wished {
		if seg.cancel != nil && now.Sub(seg.begun) > patience {
			seg.source.full = true
			s.hand(seg, s.choose())
		}
	}
	for _, idle := range s.sources {
		if idle.full || idle.working > 0 || idle.rate == 0 {
			continue
		}
		for _, seg := range s.running {
			left := float64(seg.len())
			if seg.cancel != nil && left/seg.source.rate > patience.Seconds()+2*left/idle.rate {
				s.hand(seg, idle)
				break
			}
		}
	}
}

// hand makes whoever fetches a segment go on with it at another source. The caller has
// locked s.
func (s *segments) hand(seg *segment, to *source) {
	if to == nil || to == seg.source {
		return
	}
	seg.move(to)
	seg.moved = true
	seg.cancel()
	seg.cancel = nil
}

// elsewhere reports whether a segment, which was not fetched because of err, is to
// be tried again: it was given to another source, or there is one that can take it
// now.
func (s *segments) elsewhere(ctx context.Context, seg *segment, err error) bool {
	s.mu.Lock()
	wish, moved := seg.parent != nil, seg.moved
	seg.asked, seg.cancel, seg.moved = span{}, nil, false
	var next *source
	if !moved {
		seg.source.full = true
		if next = s.choose(); next != nil {
			seg.move(next)
		}
	}
	s.mu.Unlock()
	switch {
	case next == nil:
	case wish || s.next == nil:
		fetchers.ContextTrace(ctx).Note("a segment is not to be had, so another place is asked: " + err.Error())
	default:
		s.next(err, next.req)
	}
	return moved || next != nil
}

// mixed reports whether octets came from several sources.
func (s *segments) mixed() bool {
	n := 0
	for _, src := range s.sources {
		if src.brought > 0 {
			n++
		}
	}
	return n > 1
}
