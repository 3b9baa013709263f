package download

import (
	"cmp"
	"context"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// interval is the time between two updates of a journal while content arrives. After a crash, at
// most the content of one interval is fetched again.
const interval = time.Second

// A filler writes the content to an output from the beginning, passes it to the hashes, and updates
// the meter.
type filler struct {
	out    output
	hashes []hash.Hash
	meter  *Meter
}

// Write writes p to the output. Its errors are FileErrors, to distinguish them from errors of a
// server.
func (f filler) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	for _, h := range f.hashes {
		h.Write(p[:n])
	}
	f.meter.add(n)
	return n, fileError(err)
}

// oneMove limits how many bytes are moved at once, so that the meter advances.
const oneMove = 16 << 20

// leastTaken limits how many bytes are moved at once if there may be several connections: another
// connection cannot take these bytes over meanwhile.
const leastTaken = 1 << 20

var _ fetchers.Taker = filler{}

// Take has the system move up to n bytes from the file to the output, unless there are hashes,
// which have to read the bytes.
func (f filler) Take(from *os.File, n int64) int64 {
	if len(f.hashes) > 0 {
		return 0
	}
	n = f.out.take(nil, from, min(n, oneMove))
	f.meter.add(int(n))
	return n
}

// fill writes the content to the output.
func (a *attempt) fill(ctx context.Context) (err error) {
	if part := journaled(a.out); part != nil && a.plan.segments {
		a.saved.Fetched, err = a.segmented(ctx, part)
		return err
	}
	if err = a.copyHead(); err == nil {
		err = a.write(filler{a.out, a.hashes(), a.to.Meter}, a.answer)
	}
	a.saved.Fetched = a.answer.Received()
	return err
}

// journaled returns out if it is a partial file with a journal, and nil otherwise.
func journaled(out output) *partial {
	if p, ok := out.(*partial); ok && p.journal != nil {
		return p
	}
	return nil
}

// segmented fetches the missing ranges of a partial file. The response brings the first of them. It
// returns how many bytes of the file arrived. As in the meter, a byte that arrived twice counts
// once.
func (a *attempt) segmented(ctx context.Context, part *partial) (int64, error) {
	j := part.journal
	all := &ranges{
		fetcher: a.Fetcher, part: part, size: a.answer.Size, hashes: a.hashes(), meter: a.to.Meter, moved: a.Next,
		sources: []*source{{req: a.req, state: j.validator()}},
	}
	for _, other := range a.others {
		all.sources = append(all.sources, &source{req: other})
		j.Sum = a.sum.String()
	}
	limits := a.connections()
	all.atOnce = leastTaken
	if limits.Most == 1 && len(all.sources) == 1 {
		all.atOnce = oneMove
	}
	missing := make([]share.Span, 0, 1)
	for _, gap := range j.missing() {
		missing = append(missing, share.Span{From: gap.from, To: gap.to})
	}
	wanted := share.Sum(missing)
	all.file = share.NewFile(all.size, missing, len(all.sources), limits)
	err := all.run(ctx, a.answer, a.took)
	came := wanted - share.Sum(all.file.Missing())
	a.saved.mixed = a.saved.mixed || all.file.Mixed()
	if err != nil {
		return came, fetchers.NewError("read", a.req.URL, err)
	}
	a.answer.Confirmed = func() bool { return true } // every segment was confirmed
	a.answer.Range = fetchers.Range{}                // together the segments are the whole file
	return came, nil
}

// connections returns the limits for the number of connections of the file.
func (a *attempt) connections() share.Limits {
	switch {
	case a.answer.URL.Scheme == "file":
		return share.Limits{Most: 1} // a second connection would read the same disk
	case a.Segments > 0:
		return share.Limits{Most: a.Segments, Exact: true}
	}
	if strings.HasPrefix(a.answer.URL.Scheme, "http") {
		return share.Limits{Most: min(adaptive, cmp.Or(a.MaxSegments, adaptive))}
	}
	return share.Limits{Most: min(adaptiveLogins, cmp.Or(a.MaxSegments, adaptiveLogins))}
}

// copyHead copies the first Head bytes of the existing file to the output.
func (a *attempt) copyHead() error {
	if a.to.Head == 0 {
		return nil
	}
	file, err := os.Open(a.name)
	if err != nil {
		return fileError(err)
	}
	defer file.Close()
	_, err = io.CopyN(filler{a.out, a.hashes(), nil}, file, a.to.Head)
	if err == io.EOF {
		err = fmt.Errorf("%s: it has less than %d bytes", a.name, a.to.Head)
	}
	return fileError(err)
}

// write writes the content of a resource to w.
func (s *Saver) write(w io.Writer, res *fetchers.Resource) error {
	if s.Write != nil {
		return s.Write(w, res)
	}
	_, err := io.Copy(w, res.Body)
	return err
}
