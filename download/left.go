package download

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxLooks bounds the numbers under which the part of an earlier attempt is looked for.
const maxLooks = 1000

// unfinished returns the part of what req asks for that an earlier attempt left,
// or nil if there is none to go on with.
func (s *Saver) unfinished(req *fetchers.Request, to Target) (*partial, error) {
	if s.Survey.isClear(filepath.Dir(to.Name)) {
		return nil, nil
	}
	if req.Range != (fetchers.Range{}) || to.Prefer || to.refused() != nil {
		return nil, nil // it asks for something else than the whole, or who knows where to
	}
	name, special, err := resolve(to.Name)
	if err != nil || special {
		return nil, nil // create will say what is wrong with it
	}
	free := false       // there is no NAME.part, but an earlier attempt may have used NAME.1.part beside a foreign one
	for n := 0; ; n++ { // in the order in which beginFor tries them
		part, err := reopen(numbered(name, n))
		switch {
		case errors.Is(err, ErrBusy) && !to.Beside && !free:
			return nil, err
		case err == nil && !part.unclear && part.journal != nil && part.journal.about(req.URL, to.Sum, part.size()) && part.journal.newer(req.Have):
			part.final = name
			part.journal.moveTo(req.URL)
			return part, nil
		}
		part.leave()
		if n == 0 && errors.Is(err, fs.ErrNotExist) {
			free = true
			removeJournals(partName(name)) // of a download that was killed after the part got its name
		}
		taken := err == nil || errors.Is(err, ErrBusy) || errors.Is(err, errForeign)
		if ofName := n == 0 && err == nil && !to.Beside; ofName || !taken && !(n == 0 && free) || n == maxLooks {
			return nil, nil // there are no more, or create will say why it cannot be known
		}
	}
}

// takes reports whether the part under the nth name, which has the journal j, is of no more
// use once to is there. A range does not replace the whole. If the part may be that of
// another file, as NAME.1.part may be that of NAME.1, it has to be of the same URL. A part
// with a damaged journal is always replaced.
func (to Target) takes(n int, j *journal) bool {
	return j.isDamaged() || to.of.Range == (fetchers.Range{}) && (n == 0 && !to.Beside || j.URL == to.of.URL.Redacted())
}
