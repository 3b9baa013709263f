package download

import (
	"hash"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// What is small is fetched again rather than taken up, and has no journal. For
// what is not, the journal is brought up to date this often.
const (
	small    = 1 << 20
	interval = time.Second
)

// A filler writes to a Part and counts.
type filler struct {
	part    *Part
	hashes  []hash.Hash
	written atomic.Int64 // octets from the beginning of the file
}

// seek goes to where the first offset octets end, which are there already.
func (f *filler) seek(offset int64) error {
	f.written.Store(offset)
	if offset == 0 {
		return nil
	}
	for _, h := range f.hashes {
		if _, err := io.Copy(h, io.NewSectionReader(f.part, 0, offset)); err != nil {
			return err
		}
	}
	if err := f.part.Truncate(offset); err != nil {
		return err
	}
	_, err := f.part.Seek(offset, io.SeekStart)
	return err
}

// Write writes p to the part. Its errors are FileErrors, so that they are not
// taken for those of a server.
func (f *filler) Write(p []byte) (int, error) {
	n, err := f.part.Write(p)
	for _, h := range f.hashes {
		h.Write(p[:n])
	}
	f.written.Add(int64(n))
	return n, fileError(err)
}

// record keeps a journal of the part while it is filled with res, until stop is
// called. That the journal cannot be written is no failure: then this download
// cannot be taken up again.
func (p *Part) record(u *url.URL, res *fetchers.Resource, written func() int64) (stop func()) {
	if p.name == "" || 0 <= res.Size && res.Size <= small {
		return func() {}
	}
	if p.journal == nil {
		j, err := newJournal(p.Name(), u, res)
		if err != nil {
			return func() {}
		}
		p.journal = j
	}
	if !resumable(res) {
		return func() {} // the journal only says whose the part is
	}
	note := func() {
		if n := written(); n > p.journal.Done && p.Sync() == nil {
			p.journal.note(n)
		}
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				note()
			case <-ended:
				return
			}
		}
	})
	return func() {
		close(ended)
		wg.Wait()
		note()
	}
}

// resumable reports whether the Body of res has the octets that the server counts,
// and whether it is known if they are the same another time.
func resumable(res *fetchers.Resource) bool {
	return res.Kind == fetchers.Document && res.Size > 0 && res.Validator.Strong() && res.Header.Get("Content-Encoding") == ""
}

// continuedBy reports whether res is proven to be the rest of what p is a part of.
func (p *Part) continuedBy(res *fetchers.Resource) bool {
	j := p.journal
	return resumable(res) && res.Size == j.Size && res.Validator.ETag == j.ETag && res.Validator.ModTime.Equal(j.Modified) &&
		res.Range == fetchers.Range{Offset: j.next(), Length: j.Size - j.next()}
}
