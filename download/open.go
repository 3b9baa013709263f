package download

import (
	"context"
	"io/fs"
	"os"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// open asks for what req asks for, or for what is missing of it if there is a part.
func (s *Saver) open(ctx context.Context, req *fetchers.Request, part *partial) (*fetchers.Resource, error) {
	if part == nil {
		return s.Fetcher.Fetch(ctx, req)
	}
	gap := part.journal.missing()[0]
	for _, want := range slices.Compact([]span{gap, {gap.from, part.journal.Size}}) {
		rest := *req
		rest.Range, rest.Have = want.within(part.journal.Size), part.journal.validator()
		res, err := s.Fetcher.Fetch(ctx, &rest)
		switch {
		case err == nil && proves(res, want, part.journal.Size, rest.Have):
			part.journal.goesOn(res, want)
			return res, nil
		case err == nil && res.Range == (fetchers.Range{}) && want.to == part.journal.Size:
			return res, nil // the whole, or something else
		case err == nil:
			res.Close() // it is a part of something else, or more than one connection should bring
		case !fetchers.ConcernsRest(err):
			return nil, err
		}
	}
	return s.Fetcher.Fetch(ctx, req)
}

// looksWhole returns what is known about what req asks for, as Kind Unchanged, if
// the file that is there has the same size and is not older, and is what it has to be.
// Where the size is not told, its time has to be the same, for to.Newer.
// It is nil otherwise, and so it is for to.Newer if the resource has no time.
func (s *Saver) looksWhole(ctx context.Context, req *fetchers.Request, to Target) *fetchers.Resource {
	info, err := os.Stat(to.Name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	about := *req
	about.Describe = true
	res, err := s.Fetcher.Fetch(ctx, &about)
	if err != nil {
		return nil // the fetch will fail too, and say why
	}
	res.Close()
	modified := res.Validator.ModTime
	sized := res.Size == info.Size() || res.Size < 0 && to.Newer && modified.Equal(info.ModTime())
	if res.Kind != fetchers.Document || !sized || modified.After(info.ModTime()) || to.Newer && modified.IsZero() || to.fits(req, res.Size) != nil || !to.holds(ctx) {
		return nil
	}
	res.Kind = fetchers.Unchanged
	return res
}

// create opens the output for the content of res. A small file is not resumed, so it can do
// without a name until it is whole, unless its time is set by its name, or an earlier attempt
// left a partial file that it replaces.
func (to Target) create(ctx context.Context, res *fetchers.Resource) (output, error) {
	if 0 <= res.Size && res.Size <= small && to.Head == 0 && !to.Times && !isThere(partName(to.Name)) && !isThere(journalName(partName(to.Name))) {
		if f, err := openUnnamed(to.Name); err == nil {
			return &unnamed{handle{f}, to.Name, to.createNamed}, nil
		}
	}
	return to.createNamed(ctx)
}

// createNamed opens an output that has a name from its beginning.
func (to Target) createNamed(ctx context.Context) (output, error) {
	if to.Beside {
		return createBeside(to.Name, to.takes)
	}
	if err := to.refused(); err != nil {
		return nil, &fs.PathError{Op: "create", Path: to.Name, Err: err}
	}
	return create(ctx, to.Name, to.takes)
}

// create opens the output for the file called name, and waits for the reader of a pipe for no
// longer than ctx lasts. A partial file that an interrupted download left under the nth name
// is removed if takes says so of its journal.
func create(ctx context.Context, name string, takes func(n int, j *journal) bool) (output, error) {
	name, pipeOrDevice, err := resolve(name)
	if err != nil {
		return nil, err
	}
	if !pipeOrDevice {
		return beginFor(name, false, takes)
	}
	f, err := openSpecial(ctx, name)
	if err != nil {
		return nil, err
	}
	return &special{handle{f}}, nil
}

// createBeside is create for a file that spares those that have its name, pipes and devices
// too.
func createBeside(name string, takes func(n int, j *journal) bool) (output, error) {
	return beginFor(name, true, takes)
}
