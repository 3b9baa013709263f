package sftp

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// few is the number of outstanding READs for a file of unknown size.
const few = 4

// openRead is the flag of OPEN for reading (draft-ietf-secsh-filexfer-02, section 6.3).
const openRead = 1

// document opens a file with the attributes from STAT.
func (s *session) document(req *fetchers.Request, what url.SFTP, a Attributes) (*fetchers.Resource, error) {
	res := &fetchers.Resource{
		URL:       req.URL,
		Kind:      fetchers.Document,
		MediaType: fetchers.TypeByName(req.URL.Base()),
		Size:      a.Size,
		Validator: fetchers.Validator{ModTime: a.ModTime},
	}
	unchanged := !a.ModTime.IsZero() && req.Have.ModTime.Equal(a.ModTime) && req.Have.ETag == ""
	switch {
	case req.Range == fetchers.Range{} && unchanged:
		res.Kind = fetchers.Unchanged
		return s.done(res), nil
	case req.Range == fetchers.Range{}, res.Size < 0, !req.Have.IsZero() && !unchanged:
		// a range of a file of unknown size, or of another file, is useless
	default:
		var err error
		if res.Range, err = req.Range.In(res.Size); err != nil {
			return nil, err
		}
	}
	if err := req.CheckSize(res); err != nil {
		return nil, err
	}
	if req.Describe {
		return s.done(res), nil
	}
	handle, err := s.open(newPacket(fxOpen, 0).text(what.Path).number(openRead).number(0), fmt.Sprintf("OPEN %q", what.Path))
	if err != nil {
		return nil, err
	}
	b := &body{s: s, lease: s.lease, handle: handle, opened: a, next: res.Range.Offset, end: res.Size}
	if res.Range != (fetchers.Range{}) {
		b.part, b.end = true, res.Range.Offset+res.Range.Length
	}
	if err := b.begin(res); err != nil {
		b.release()
		return nil, err
	}
	res.SetBody(b)
	return res, nil
}

// A body reads an open file. It keeps several READs outstanding, so that the time of a round trip
// counts only once.
type body struct {
	s      *session
	lease  *lease
	handle string
	opened Attributes // attributes when the file was opened

	next    int64   // offset of the next READ
	end     int64   // end of the last READ; negative if the size is unknown
	part    bool    // a range of the file was requested
	reads   int     // READs so far
	spans   []span  // outstanding READs, in order
	left    []byte  // received bytes that are not read yet
	spent   *buffer // the memory of left, for reuse
	check   *call   // FSTAT after the last READ; nil before that
	checked int     // READs before check
	blind   bool    // the server does not support FSTAT
	over    error   // io.EOF after the end

	closed sync.Once // the file, on the server
}

// A span is the range of the file that a READ requests.
type span struct {
	call   *call
	offset int64
	length int
}

// begin requests the attributes of the open file and, at once, its first bytes. A file of size 0
// may be generated during reading, as in /proc.
func (b *body) begin(res *fetchers.Resource) error {
	s := b.s
	stat := s.send(newPacket(fxFstat, 0).text(b.handle), 0, "FSTAT")
	if b.end == 0 && res.Range == (fetchers.Range{}) {
		b.end = -1
	}
	b.fill()
	if err := b.compare(stat); err != nil {
		return err
	}
	if b.end >= 0 || b.opened.Size != 0 {
		return nil
	}
	switch err := b.advance(); err {
	case nil:
		res.Size, res.Validator = -1, fetchers.Validator{}
		return nil
	case io.EOF:
		return nil
	default:
		return err
	}
}

// compare returns an error if the file has changed since STAT. A file that has grown counts as the
// same after it is read.
func (b *body) compare(stat *call) error {
	a, err := b.s.wait(stat, b.s.f.Network.ResponseLimit())
	var refused *fetchers.StatusError
	switch {
	case errors.As(err, &refused) && stat == b.check: // an earlier FSTAT has succeeded
		return fmt.Errorf("%w while it was read, as it seems: %w", fetchers.ErrChanged, err)
	case refused != nil:
		b.blind = true
		return nil
	case err != nil:
		return err
	}
	now, err := b.s.attributes(fxFstat, a)
	switch {
	case err != nil:
		return err
	case now.Size > b.opened.Size && stat == b.check:
		return nil
	case now.Size != b.opened.Size || !now.ModTime.Equal(b.opened.ModTime):
		return fmt.Errorf("%w while it was read", fetchers.ErrChanged)
	}
	return nil
}

// fill requests further bytes. A file of unknown size has only few outstanding READs.
func (b *body) fill() {
	most := b.s.link.share()
	if b.end < 0 {
		most = few
	}
	for len(b.spans) < most && (b.end < 0 || b.next < b.end) {
		length := chunk
		if b.end >= 0 {
			length = int(min(b.end-b.next, chunk))
		}
		b.spans = append(b.spans, b.ask(b.next, length))
		b.next += int64(length)
	}
	if b.next == b.end && b.check == nil {
		b.again()
	}
}

// again requests the attributes of the open file after its READs. A single READ returns the whole
// file in one version.
func (b *body) again() {
	if b.blind || b.end < 0 || b.reads < 2 && !b.part {
		return
	}
	b.check, b.checked = b.s.send(newPacket(fxFstat, 0).text(b.handle), 0, ""), b.reads
}

func (b *body) ask(offset int64, length int) span {
	shown := ""
	if b.s.trace.Lines() {
		shown = fmt.Sprintf("READ %d-%d", offset, offset+int64(length)-1)
	}
	b.reads++
	p := newPacket(fxRead, 0).text(b.handle).offset(offset).number(uint32(length))
	return span{b.s.send(p, length, shown), offset, length}
}

func (b *body) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		if b.over != nil {
			return 0, b.over
		}
		if err := b.s.ctx.Err(); err != nil {
			return 0, err
		}
		if err := b.advance(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// advance waits for the bytes of the next span.
func (b *body) advance() error {
	b.spent.recycle()
	b.spent = nil
	b.fill()
	if len(b.spans) == 0 {
		return b.finish()
	}
	first := b.spans[0]
	a, err := b.s.wait(first.call, 0)
	switch {
	case isEOF(err) && b.end < 0:
		return b.finish()
	case isEOF(err):
		return fmt.Errorf("the file ended at byte %d of %d: %w", first.offset, b.opened.Size, io.ErrUnexpectedEOF)
	case err != nil:
		return err
	case a.kind != fxData:
		return unexpected(fxRead, a.kind)
	}
	b.left, b.spent = a.body, a.data
	if missing := first.length - len(a.body); missing > 0 { // the next span does not follow yet
		b.spans[0] = b.ask(first.offset+int64(len(a.body)), missing)
		return nil
	}
	b.spans = b.spans[1:]
	return nil
}

// finish ends the exchange after the last byte. Its error is io.EOF if the file has not changed.
func (b *body) finish() error {
	if b.checked != b.reads { // after check, the rest of a short answer was requested
		b.again()
	}
	if b.check != nil {
		if err := b.compare(b.check); err != nil {
			return err
		}
	}
	b.over = io.EOF
	b.release()
	b.s.link.abandon(b.s)
	b.lease.Done()
	return b.over
}

// release closes the file on the server once: the next opened file may have the same handle.
func (b *body) release() {
	b.closed.Do(func() { b.s.forget(newPacket(fxClose, 0).text(b.handle)) })
}

// Close ends the transfer. A link that other sessions use stays.
func (b *body) Close() error {
	if !b.lease.Over() && !b.s.link.lonely() {
		b.release()
	}
	return b.lease.Close()
}
