package download

import (
	"hash"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// What is small is fetched again rather than taken up, and has no journal. For what
// is not, the journal is brought up to date this often while something comes, so that
// what a crash makes us fetch again is what came within such a time.
const (
	small    = 1 << 20
	interval = time.Second
)

// A filler writes to a Part from its beginning.
type filler struct {
	part   *Part
	hashes []hash.Hash
	meter  *Meter
}

// Write writes p to the part. Its errors are FileErrors, so that they are not
// taken for those of a server.
func (f filler) Write(p []byte) (int, error) {
	n, err := f.part.Write(p)
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
	n = move(f.part.File, nil, from, min(n, oneMove))
	f.meter.add(int(n))
	return n
}

// begin begins the journal of a part that is to be filled with res, unless there is
// one or none is worth it. That it cannot be written is no failure: then the part
// is not known as ours, and cannot be taken up.
func (p *Part) begin(u *url.URL, res *fetchers.Resource) {
	if p.name == "" || p.journal != nil || p.unclear || 0 <= res.Size && res.Size <= small {
		return
	}
	if j, err := newJournal(p.Name(), u, res); err == nil {
		p.journal = j
	}
}

// record keeps the journal of a part up to date with what have says, at each tick, until
// stop is called: a last time if what was begun is not whole. It never says more than what
// is on the disk.
func (p *Part) record(tick <-chan time.Time, have func() []span) (stop func(whole bool)) {
	note := func() {
		spans := have()
		if p.sync() == nil {
			p.journal.note(spans)
		}
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-tick:
				note()
			case <-ended:
				return
			}
		}
	})
	return func(whole bool) {
		close(ended)
		wg.Wait()
		if !whole {
			note()
		}
	}
}

// resumable reports whether the Body of res has the octets that the server counts,
// and whether it is known if they are the same another time.
func resumable(res *fetchers.Resource) bool {
	return res.Kind == fetchers.Document && res.Size > 0 && res.Validator.Strong() && res.Header.Get("Content-Encoding") == ""
}
