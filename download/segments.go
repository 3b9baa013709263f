package download

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// leastSegment is the least that is worth a connection of its own.
const leastSegment = 1 << 20

// segments is a download that may take several connections, each of which brings
// one segment of the file from one source. It begins with one. While that is not
// fast, the segment that would take longest is split and a connection added for the
// end of it, as long as this brings more. A server that does not agree is left with
// what it has. What a source begins and does not bring, another one does.
type segments struct {
	fetcher fetchers.Fetcher
	part    *partial
	size    int64
	meter   *Meter
	hashes  []hash.Hash
	more    chan struct{}                              // there is another segment to be split
	next    func(failed error, next *fetchers.Request) // is told of a source that breaks off; may be nil
	alone   bool                                       // there is but one segment at a time

	mu       sync.Mutex // guards what follows
	hashed   int64      // how far the hashes have got; only the first segment moves it
	sources  []*source
	running  []*segment
	wished   []*segment // whose source has not agreed yet
	gaps     []span     // that nobody fetches
	least    int64      // that is worth a connection
	received int64
	paced    beat // when it is decided whether more connections help
	noted    beat // when the journal is brought up to date
}

// A segment is what one connection is to bring: from moves with what comes, and to
// comes nearer when the segment is split.
type segment struct {
	span
	source  *source
	asked   span      // of the source; none until it has agreed
	stated  bool      // that it begins where it should is known before its end
	begun   time.Time // when it was asked for
	cancel  func()    // ends that; nil if it was not
	moved   bool      // to the source that it has now
	first   bool
	parent  *segment // of which it is to be the end, until the source has agreed
	pledged bool     // its end has been asked of a source
}

// run fills the part with res, which comes from the first source and begins where
// the first gap does, and with all else that is missing.
func (s *segments) run(ctx context.Context, res *fetchers.Resource, pace pace) error {
	ctx, cancel := context.WithCancel(fetchers.WithPause(ctx, nil)) // while one waits, others do not
	defer cancel()
	s.alone = pace.most == 1 && len(s.sources) == 1
	ended := make(chan error)
	start := func(seg *segment, res *fetchers.Resource) {
		pace.working++
		go func() { ended <- s.work(ctx, seg, res) }()
	}
	grow := func(now time.Time) {
		count, waits := s.count(now)
		n := pace.more(count, now, waits)
		s.aim(pace.worth())
		for ; n > 0; n-- {
			seg := s.add()
			if seg == nil {
				return
			}
			start(seg, nil)
		}
	}

	first := s.take(s.sources[0])
	first.first, first.cancel = first.from == 0, func() { res.Close() }
	s.sources[0].working++
	s.agreed(first, res)
	last := time.Now()
	s.paced, s.noted = newBeat(pulse, last), newBeat(interval, last)
	start(first, res)
	note := s.part.record(s.noted.C, s.have)
	grow(last)
	var tick <-chan time.Time = s.paced.C
	if len(s.sources) > 1 { // of which one that brings nothing is to be left
		ticker := time.NewTicker(pulse)
		defer ticker.Stop()
		tick = ticker.C
	}
	var failed error
	for pace.working > 0 {
		select {
		case now := <-tick:
			s.measure(now.Sub(last))
			s.relieve(now)
			last = now
			grow(now)
		case <-s.more:
			if pace.eager {
				grow(time.Now())
			}
		case err := <-ended:
			pace.working--
			if err != nil {
				pace.most = 0 // who is left does the rest
				failed = graver(failed, err)
			}
			if s.complete() {
				cancel() // what is still asked for is not needed
			}
		}
	}
	note(len(s.gaps) == 0)
	if len(s.gaps) > 0 {
		return failed
	}
	return s.hashRest()
}

// graver returns which of two errors of one download is reported, where next is the later
// one: a failure to write comes before all others, since to begin again does not help, and
// one after which the download can begin again before what comes of it.
func graver(failed, next error) error {
	var file *FileError
	var restart *fetchers.RestartError
	switch {
	case errors.As(failed, &file):
		return failed
	case errors.As(next, &file) || !errors.As(failed, &restart):
		return next
	}
	return failed
}

// work fetches a segment, from res if there is one, and then what nobody else
// fetches, or what others have too much of.
func (s *segments) work(ctx context.Context, seg *segment, res *fetchers.Resource) error {
	for {
		err := s.fetch(ctx, seg, res)
		res = nil
		var file *FileError
		if err != nil && ctx.Err() == nil && !errors.As(err, &file) && s.elsewhere(ctx, seg, err) {
			continue
		}
		next := s.done(seg, err == nil)
		if next == nil {
			return err
		}
		seg = next
	}
}

// fetch fetches a segment. What could not be fetched, or was not confirmed, remains
// in it.
func (s *segments) fetch(ctx context.Context, seg *segment, res *fetchers.Resource) error {
	if res == nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var err error
		if res, err = s.open(ctx, seg, cancel); err != nil {
			return err
		}
	}
	defer res.Close()
	if !s.agreed(seg, res) {
		return nil
	}
	_, err := io.Copy(writer{s, seg}, res.Body)
	var file *FileError
	switch missing, _ := s.left(seg); {
	case errors.Is(err, errFull):
		return nil // what still comes is for another segment
	case errors.As(err, &file):
		return err
	case err == nil && missing == 0:
		return nil
	case err == nil:
		err = io.ErrUnexpectedEOF
	}
	s.doubt(seg)
	return err
}

// errFull says that a segment needs no more.
var errFull = errors.New("the segment is whole")

// A writer writes to a segment what comes for it.
type writer struct {
	*segments
	seg *segment
}

// Write writes p, as far as it is for the segment. The error is errFull if that is
// whole before the server is done.
func (w writer) Write(p []byte) (int, error) {
	left, _ := w.left(w.seg)
	n := int(min(int64(len(p)), left))
	if err := w.write(w.seg, p[:n]); err != nil {
		return n, err
	}
	switch left, last := w.left(w.seg); {
	case n < len(p) && last:
		return n, fmt.Errorf("%w: more comes than the %d octets there are", fetchers.ErrProtocol, w.size)
	case left == 0 && !last:
		return n, errFull
	}
	return n, nil
}

// Take has the system move some of the first n octets of from to the segment, unless
// somebody wants to see them.
func (w writer) Take(from *os.File, n int64) int64 {
	if len(w.hashes) > 0 {
		return 0
	}
	left, _ := w.left(w.seg)
	most := int64(leastSegment) // what a segment keeps when it is split meanwhile
	if w.alone {
		most = oneMove
	}
	offset := w.seg.from
	n = w.part.take(&offset, from, min(n, left, most))
	w.wrote(w.seg, int(n), false)
	return n
}

// open asks the source of a segment for it, and takes what is proven to be that.
func (s *segments) open(ctx context.Context, seg *segment, cancel context.CancelFunc) (*fetchers.Resource, error) {
	s.mu.Lock()
	seg.begun, seg.cancel = time.Now(), cancel
	want, src := seg.span, seg.source
	req := *src.req
	req.Range, req.Have = fetchers.Range{Offset: want.from, Length: want.len()}, src.state
	s.mu.Unlock()
	res, err := s.fetcher.Fetch(ctx, &req)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !proves(res, want, s.size, src.state) {
		res.Close()
		return nil, fmt.Errorf("%w: not as a segment of the same file", fetchers.ErrRange)
	}
	src.state = res.Validator
	return res, nil
}

// write writes what came for a segment.
func (s *segments) write(seg *segment, p []byte) error {
	s.mu.Lock()
	hashed := s.hashed
	s.mu.Unlock()
	there := min(max(0, hashed-seg.from), int64(len(p))) // was in doubt, and is what was hashed
	if _, err := s.part.WriteAt(p[there:], seg.from+there); err != nil {
		return fileError(err)
	}
	hashes := seg.first && seg.from == hashed
	if hashes {
		for _, h := range s.hashes {
			h.Write(p)
		}
	}
	s.wrote(seg, len(p), hashes)
	return nil
}

// wrote takes note of what was written of a segment.
func (s *segments) wrote(seg *segment, n int, hashed bool) {
	s.meter.add(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	if hashed {
		s.hashed += int64(n)
	}
	seg.from += int64(n)
	seg.source.brought += int64(n)
	s.received += int64(n)
	now := time.Now()
	s.paced.tick(now)
	s.noted.tick(now)
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

// agreed takes note of what the source agreed to send for a segment. It reports
// false if that comes too late, since the segment's parent has got there by itself.
func (s *segments) agreed(seg *segment, res *fetchers.Resource) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.asked = span{res.Range.Offset, s.size}
	if res.Range.Length > 0 {
		seg.asked.to = res.Range.Offset + res.Range.Length
	}
	seg.stated = seg.asked.from == 0 || seg.asked.to < s.size || res.Header.Get("Content-Range") != ""
	if parent := seg.parent; parent != nil {
		if seg.from-parent.from < leastSegment { // more than it may be reading just now
			seg.from = seg.to
			return false
		}
		parent.to = seg.from
		s.unwish(seg)
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

// takes returns for how many seconds a segment will go on, more or less.
func (seg *segment) takes() float64 { return float64(seg.len()) / max(seg.source.rate, 1) }

// count returns how much has come so far, and whether more may come soon from a
// source that is just being asked.
func (s *segments) count(now time.Time) (received int64, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.wished {
		waits = waits || now.Sub(seg.begun) < patience
	}
	return s.received, waits
}

// complete reports whether all is there.
func (s *segments) complete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.gaps) == 0 && len(s.running) == 0
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

// take returns a gap as a segment to be fetched from src, or nil if there is none.
// The caller has locked s, as for what follows.
func (s *segments) take(src *source) *segment {
	if len(s.gaps) == 0 {
		return nil
	}
	seg := &segment{span: s.gaps[0], source: src}
	s.gaps = s.gaps[1:]
	s.running = append(s.running, seg)
	return seg
}

// add returns the end of a segment for a further connection, or nil if that is not
// worth it.
func (s *segments) add() *segment {
	s.mu.Lock()
	defer s.mu.Unlock()
	src := s.choose()
	if src == nil {
		return nil
	}
	seg := s.split(src)
	if seg != nil {
		src.working++
	}
	return seg
}

// split returns the end of the segment that would take longest, to be asked of src,
// or nil if both parts of it would not be worth their connections. Where a server was
// asked for all from the middle of the file on, and does not say from where it sends,
// only the end proves that it began where it should; so that is not taken from it.
func (s *segments) split(src *source) *segment {
	var longest *segment
	for _, seg := range s.running {
		if seg.asked.len() > 0 && !seg.pledged && seg.stated && (longest == nil || seg.takes() > longest.takes()) {
			longest = seg
		}
	}
	if longest == nil || longest.len() < 2*s.least {
		return nil
	}
	share := src.share(longest.len(), longest.source)
	if share < s.least {
		return nil
	}
	longest.pledged = true
	from := longest.to - min(share, longest.len()-s.least)
	seg := &segment{span: span{from, longest.to}, source: src, parent: longest, begun: time.Now()}
	s.wished = append(s.wished, seg)
	return seg
}

// unwish ends that a segment is only asked for.
func (s *segments) unwish(seg *segment) {
	seg.parent.pledged = false
	seg.parent = nil
	s.wished = slices.DeleteFunc(s.wished, func(w *segment) bool { return w == seg })
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

// done ends a segment, and returns the next one for the same source, if it is to have
// one. What is missing of a segment is a gap, unless it was never more than a wish.
func (s *segments) done(seg *segment, well bool) (next *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seg.parent != nil {
		s.unwish(seg)
	} else {
		s.running = slices.DeleteFunc(s.running, func(r *segment) bool { return r == seg })
		if seg.len() > 0 {
			s.gaps = append(s.gaps, seg.span)
		}
	}
	if well {
		if next = s.take(seg.source); next == nil {
			next = s.split(seg.source)
		}
	}
	if next == nil {
		seg.source.working--
	}
	return next
}
