package download

import (
	"context"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// leastSegment is the least that is worth a connection of its own.
const leastSegment = 1 << 20

// segments is a download that may take several connections, each of which brings
// one segment of the file. It begins with one. While that is not fast, the largest
// segment is split and a connection added for the second half of it, as long as
// this brings more. A server that does not agree is left with what it has.
type segments struct {
	fetcher fetchers.Fetcher
	part    *Part
	req     *fetchers.Request
	size    int64
	meter   *Meter
	hashes  []hash.Hash
	hashed  int64         // how far they have got; only the first segment moves it
	more    chan struct{} // there is another segment to be split

	mu       sync.Mutex // guards what follows
	running  []*segment
	gaps     []span // that nobody fetches
	least    int64  // that is worth a connection
	explicit bool   // the server serves parts that end before the file does
	received int64
}

// A segment is what one connection is to bring: from moves with what comes, and to
// comes nearer when the segment is split.
type segment struct {
	span
	asked   span // of the server
	first   bool
	parent  *segment // of which it is to be the second half, until the server has agreed
	pledged bool     // its second half has been asked of the server
}

// run fills the part with res, which begins where the first gap does, and with all
// else that is missing.
func (s *segments) run(ctx context.Context, res *fetchers.Resource, pace pace) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error)
	start := func(seg *segment, res *fetchers.Resource) {
		pace.working++
		go func() { ended <- s.work(ctx, seg, res) }()
	}
	grow := func() {
		n := pace.more(s.count(), time.Now())
		s.aim(pace.worth())
		for ; n > 0; n-- {
			seg := s.split()
			if seg == nil {
				return
			}
			start(seg, nil)
		}
	}

	first := s.take()
	first.first = first.from == 0
	s.agreed(first, res)
	start(first, res)
	stop := s.part.record(s.have)
	grow()
	beat := time.NewTicker(pulse)
	defer beat.Stop()
	var failed error
	for pace.working > 0 {
		select {
		case <-beat.C:
			grow()
		case <-s.more:
			if pace.eager {
				grow()
			}
		case err := <-ended:
			pace.working--
			if err != nil {
				failed, pace.most = err, 0 // who is left does the rest
			}
		}
	}
	stop(len(s.gaps) == 0)
	if len(s.gaps) > 0 {
		return failed
	}
	return s.hashRest()
}

// work fetches a segment, from res if there is one, and then what nobody else
// fetches, or what others have too much of.
func (s *segments) work(ctx context.Context, seg *segment, res *fetchers.Resource) error {
	for seg != nil {
		err := s.fetch(ctx, seg, res)
		s.done(seg)
		if err != nil {
			return err
		}
		if seg, res = s.take(), nil; seg == nil {
			seg = s.split()
		}
	}
	return nil
}

// buffers holds what is read at once. A large read costs less than several small
// ones.
var buffers = sync.Pool{New: func() any { return new([512 << 10]byte) }}

// fetch fetches a segment. What could not be fetched, or was not confirmed, remains
// in it.
func (s *segments) fetch(ctx context.Context, seg *segment, res *fetchers.Resource) error {
	if res == nil {
		var err error
		if res, err = s.open(ctx, seg.span); err != nil {
			return err
		}
	}
	defer res.Close()
	if !s.agreed(seg, res) {
		return nil
	}
	buf := buffers.Get().(*[512 << 10]byte)
	defer buffers.Put(buf)
	for {
		left, last := s.left(seg)
		if left == 0 && !last {
			return nil // what still comes is for another segment
		}
		n, err := res.Body.Read(buf[:min(left+1, int64(len(buf)))])
		surplus := int64(n) > left
		n = int(min(int64(n), left))
		if werr := s.write(seg, buf[:n]); werr != nil {
			return werr
		}
		switch {
		case surplus && last:
			err = fmt.Errorf("%w: more comes than the %d octets there are", fetchers.ErrProtocol, s.size)
		case err == io.EOF && int64(n) == left:
			return nil
		case err == io.EOF:
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			s.doubt(seg)
			return err
		}
	}
}

// open asks for a part of the file, of which it is proven that it is.
func (s *segments) open(ctx context.Context, want span) (*fetchers.Resource, error) {
	req := *s.req
	req.Range, req.Have = want.within(s.size), s.part.journal.validator()
	res, err := s.fetcher.Fetch(ctx, &req)
	if err != nil {
		return nil, err
	}
	if !s.part.journal.proves(res, want) {
		res.Close()
		return nil, fmt.Errorf("%w: not as a segment of the same file", fetchers.ErrRange)
	}
	return res, nil
}

// write writes what came for a segment.
func (s *segments) write(seg *segment, p []byte) error {
	if _, err := s.part.WriteAt(p, seg.from); err != nil {
		return fileError(err)
	}
	if seg.first && seg.from == s.hashed {
		for _, h := range s.hashes {
			h.Write(p)
		}
		s.hashed += int64(len(p))
	}
	s.meter.add(len(p))
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.from += int64(len(p))
	s.received += int64(len(p))
	return nil
}

// hashRest hashes what the first segment did not bring.
func (s *segments) hashRest() error {
	for _, h := range s.hashes {
		if _, err := io.Copy(h, io.NewSectionReader(s.part, s.hashed, s.size-s.hashed)); err != nil {
			return fileError(err)
		}
	}
	return nil
}

// agreed takes note of what the server agreed to send for a segment. It reports
// false if that comes too late, since the segment's parent has got there by itself.
func (s *segments) agreed(seg *segment, res *fetchers.Resource) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.asked = span{res.Range.Offset, s.size}
	if res.Range.Length > 0 {
		seg.asked.to = res.Range.Offset + res.Range.Length
	}
	s.explicit = s.explicit || seg.asked.to < s.size
	if parent := seg.parent; parent != nil {
		if seg.from-parent.from < leastSegment { // more than it may be reading just now
			seg.from = seg.to
			return false
		}
		parent.to = seg.from
		seg.parent, parent.pledged = nil, false
		s.running = append(s.running, seg)
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
	return true
}

// left returns how much is missing of a segment, and whether its stream ends with
// it.
func (s *segments) left(seg *segment) (n int64, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return seg.len(), seg.to == seg.asked.to
}

// count returns how much has come so far.
func (s *segments) count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received
}

// aim sets the least that is worth a connection.
func (s *segments) aim(least int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.least = least
}

// have returns what of the file is there.
func (s *segments) have() []span {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := append([]span(nil), s.gaps...)
	for _, seg := range s.running {
		if seg.len() > 0 {
			missing = append(missing, seg.span)
		}
	}
	return complement(missing, s.size)
}

// take returns a gap as a segment to be fetched, or nil if there is none.
func (s *segments) take() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.gaps) == 0 {
		return nil
	}
	seg := &segment{span: s.gaps[0]}
	s.gaps = s.gaps[1:]
	s.running = append(s.running, seg)
	return seg
}

// split returns the second half of the largest segment, to be asked of the server,
// or nil if both halves would not be worth their connections. Where a stream begins
// in the middle of the file and was not asked to end there, only its end proves that
// it began where it should; so that is not taken from it.
func (s *segments) split() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var largest *segment
	for _, seg := range s.running {
		if seg.asked.len() > 0 && !seg.pledged && (seg.asked.from == 0 || s.explicit) && (largest == nil || seg.len() > largest.len()) {
			largest = seg
		}
	}
	if largest == nil || largest.len() < 2*s.least {
		return nil
	}
	largest.pledged = true
	return &segment{span: span{largest.from + largest.len()/2, largest.to}, parent: largest}
}

// doubt makes a segment that is complete, and was not confirmed, miss its last
// octet.
func (s *segments) doubt(seg *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seg.len() == 0 {
		seg.from--
	}
}

// done ends a segment. What is missing of it is a gap, unless it was never more than
// a wish.
func (s *segments) done(seg *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seg.parent != nil {
		seg.parent.pledged = false
		return
	}
	if i := slices.Index(s.running, seg); i >= 0 {
		s.running = slices.Delete(s.running, i, i+1)
	}
	if seg.len() > 0 {
		s.gaps = append(s.gaps, seg.span)
	}
}
