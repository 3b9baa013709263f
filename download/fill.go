package download

import (
	"context"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// What is small is fetched again rather than taken up, and has no journal. For what
// is not, the journal is brought up to date this often while something comes, so that
// what a crash makes us fetch again is what came within such a time.
const (
	small    = 1 << 20
	interval = time.Second
)

// A filler writes to an output from its beginning.
type filler struct {
	out    output
	hashes []hash.Hash
	meter  *Meter
}

// Write writes p to the part. Its errors are FileErrors, so that they are not
// taken for those of a server.
func (f filler) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	for _, h := range f.hashes {
		h.Write(p[:n])
	}
	f.meter.add(n)
	return n, fileError(err)
}

// oneMove is how much is moved at once at most, so that it can be told how far it is.
const oneMove = 16 << 20

// Take has the system move some of the first n octets of from to the part, unless
// somebody wants to see them.
func (f filler) Take(from *os.File, n int64) int64 {
	if len(f.hashes) > 0 {
		return 0
	}
	n = f.out.take(nil, from, min(n, oneMove))
	f.meter.add(int(n))
	return n
}

// resumable reports whether the Body of res has the octets that the server counts,
// and whether it is known if they are the same another time.
func resumable(res *fetchers.Resource) bool {
	return res.Kind == fetchers.Document && res.Size > 0 && res.Validator.Strong() && res.Header.Get("Content-Encoding") == ""
}

// An attempt is one to save what a place has.
type attempt struct {
	*Saver
	req     *fetchers.Request
	others  []*fetchers.Request // places that have the same, if it hashes to to.Sum
	to      Target
	out     output
	res     *fetchers.Resource // what the part begins with, or goes on with
	resumed bool
	mixed   bool // what is in the part may be from several places
}

// fill writes res to the part, with what else is missing. If that fails, the part is
// left or removed.
func (a *attempt) fill(ctx context.Context) (fetched int64, err error) {
	proofs := proofs(append(declared(a.req, a.res, a.resumed), a.to.Sum)...)
	var hashes []hash.Hash
	for _, p := range proofs {
		hashes = append(hashes, p.hash)
	}
	if a.to.Hash != nil {
		hashes = append(hashes, a.to.Hash)
	}
	if part, ok := a.out.(*partial); ok {
		part.begin(a.req.URL, a.res)
	}
	part := journaled(a.out)
	if part != nil {
		a.Survey.forget()
	}
	if part != nil && resumable(a.res) && a.req.Range == (fetchers.Range{}) {
		fetched, err = a.segmented(ctx, part, hashes)
	} else {
		if err = a.to.copyHead(filler{a.out, hashes, nil}); err == nil {
			err = a.write(filler{a.out, hashes, a.to.Meter}, a.res)
		}
		fetched = a.res.Received()
	}
	if err == nil {
		if err = check(proofs); err == nil {
			err = a.checkWhole(ctx)
		}
		if err == nil {
			return fetched, nil
		}
		err = fetchers.NewError("verify", a.req.URL, err)
	}
	if part != nil && a.keeps(ctx, part, err) {
		part.leave()
	} else {
		a.out.discard()
	}
	return fetched, err
}

// journaled returns out if it is a partial file with a journal, and nil otherwise.
func journaled(out output) *partial {
	if p, ok := out.(*partial); ok && p.journal != nil {
		return p
	}
	return nil
}

// segmented fetches what is missing of the part, of which res is the beginning.
func (a *attempt) segmented(ctx context.Context, part *partial, hashes []hash.Hash) (int64, error) {
	j := part.journal
	all := &segments{
		fetcher: a.Fetcher, part: part, hashes: hashes, meter: a.to.Meter, next: a.Next,
		size: a.res.Size, gaps: j.missing(), more: make(chan struct{}, 1),
		sources: []*source{{req: a.req, state: j.validator()}},
	}
	for _, other := range a.others {
		all.sources = append(all.sources, &source{req: other})
		j.Sum = a.to.Sum.String()
	}
	pace := pace{most: a.Segments, eager: a.Segments > 0}
	switch {
	case a.res.URL.Scheme == "file":
		pace.most = 1 // the others would read the same disk
	case a.Segments == 0:
		pace.most = adaptive
	}
	err := all.run(ctx, a.res, pace)
	a.mixed = a.mixed || all.mixed()
	if err != nil {
		return all.received, fetchers.NewError("read", a.req.URL, err)
	}
	a.res.Confirmed = func() bool { return true } // every segment was
	a.res.Range = fetchers.Range{}                // all of them are the whole
	return all.received, nil
}

// copyHead writes the beginning that is there.
func (to Target) copyHead(w io.Writer) error {
	if to.Head == 0 {
		return nil
	}
	file, err := os.Open(to.Name)
	if err != nil {
		return fileError(err)
	}
	defer file.Close()
	if _, err := io.CopyN(w, file, to.Head); err == io.EOF {
		return fileError(fmt.Errorf("%s: it has less than %d bytes", to.Name, to.Head))
	} else if err != nil {
		return fileError(err)
	}
	return nil
}

func (s *Saver) write(w io.Writer, res *fetchers.Resource) error {
	if s.Write != nil {
		return s.Write(w, res)
	}
	_, err := io.Copy(w, res.Body)
	return err
}
