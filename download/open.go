package download

import (
	"context"
	"io/fs"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// continues reports whether the new file may contain bytes of the existing file, or be identical to
// it.
func (g goal) continues() bool {
	if g.to.Head > 0 || !g.to.Keep {
		return g.to.Head > 0
	}
	info, err := os.Stat(g.to.Name)
	return err == nil && info.Mode().IsRegular()
}

// failing returns a copy of req without NoFail: an error page must not replace a file.
func failing(req *fetchers.Request) *fetchers.Request {
	with := *req
	with.NoFail = false
	return &with
}

// current returns the description of the resource, with Kind Unchanged, if the existing file can
// stay. Otherwise it returns nil.
func (s *Saver) current(ctx context.Context, g goal) *fetchers.Resource {
	info, err := os.Stat(g.to.Name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	about := *g.req
	about.Describe = true
	res, err := fetchers.Fetch(ctx, s.Fetcher, &about)
	if err != nil {
		return nil // the fetch will return the error
	}
	res.Close()
	if !g.isCurrent(former{info.Size(), info.ModTime()}, res) || !g.to.holds(ctx) {
		return nil
	}
	res.Kind = fetchers.Unchanged
	return res
}

// request requests the rest of a partial file. If there is none, or the rest is not available, it
// sends req instead. It reports whether the response is the rest, and then records this in the
// journal.
func (s *Saver) request(ctx context.Context, req *fetchers.Request, left *partial) (answer *fetchers.Resource, rest bool, err error) {
	if left != nil {
		j := left.journal
		for _, want := range j.ranges() {
			answer, err = fetchers.Fetch(ctx, s.Fetcher, req.Rest(want.within(j.Size), j.validator()))
			if err != nil {
				if !fetchers.ConcernsRest(err) {
					return nil, false, err
				}
				continue
			}
			switch j.reply(answer, want) {
			case theRest:
				j.goesOn(answer, want)
				return answer, true, nil
			case another:
				return answer, false, nil
			}
			answer.Close()
		}
	}
	answer, err = fetchers.Fetch(ctx, s.Fetcher, req)
	return answer, false, err
}

// open opens the output, and prepares everything that reads the content.
func (a *attempt) open(ctx context.Context) (err error) {
	if a.plan.restarts && a.Restart != nil {
		a.Restart(a.req)
	}
	a.saved.Resumed, a.saved.mixed = a.plan.resumed, a.plan.mixed
	if a.out, err = a.output(ctx); err != nil {
		return err
	}
	a.saved.spent = !a.out.readable()
	if part, ok := a.out.(*partial); ok && a.plan.journal {
		part.beginJournal(a.req.URL, a.answer)
	} else if ok {
		part.mark()
	}
	if journaled(a.out) != nil {
		a.Survey.forget()
	}
	if a.share != nil {
		a.others, a.sum = a.share(a.answer, a.sum)
	}
	a.proofs = proofs(append(declared(a.req, a.answer, a.plan.continues()), a.sum)...)
	a.to.Meter.begin(a.plan.resumed, a.answer.Size)
	return nil
}

// output opens the output of the plan. It first removes a partial file that does not match the
// response.
func (a *attempt) output(ctx context.Context) (output, error) {
	if a.plan.goesOn {
		return a.left, nil
	}
	if a.left != nil {
		if err := a.left.remove(); err != nil {
			return nil, err
		}
	}
	if a.plan.unnamed {
		if f, err := openUnnamed(a.name); err == nil {
			named := func(ctx context.Context) (output, error) { return marked(a.openNamed(ctx, a.name)) }
			return &unnamed{handle{f}, a.name, named}, nil
		}
	}
	return a.openNamed(ctx, a.name)
}

// openNamed opens an output that has a name from the beginning, for the file called name.
func (g goal) openNamed(ctx context.Context, name string) (output, error) {
	if g.to.Beside {
		return createBeside(name, g.replaces)
	}
	if err := g.to.refuses(name); err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	return create(ctx, name, g.replaces)
}

// create opens the output for the file called name, and waits for the reader of a pipe until ctx
// ends. It removes the partial file of an interrupted download under the nth name if replaces is
// true for its journal.
func create(ctx context.Context, name string, replaces func(n int, j *record) bool) (output, error) {
	name, pipeOrDevice, err := resolve(name)
	if err != nil {
		return nil, err
	}
	if !pipeOrDevice {
		return beginFor(name, false, replaces)
	}
	f, err := openSpecial(ctx, name)
	if err != nil {
		return nil, err
	}
	return &special{handle{f}}, nil
}

// createBeside is create for a file that must not replace another one, nor be written to a pipe or
// device.
func createBeside(name string, replaces func(n int, j *record) bool) (output, error) {
	return beginFor(name, true, replaces)
}
