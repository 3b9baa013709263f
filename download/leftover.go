package download

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// maxLooks limits the numbered names at which an earlier partial file is searched.
const maxLooks = 1000

// leftover opens and locks the partial file of an earlier attempt, if it is to be resumed. It
// returns nil if there is none, and ErrBusy if another download writes the file.
func (s *Saver) leftover(g goal) (*partial, error) {
	if !g.resumes() || s.Survey.isClear(filepath.Dir(g.to.Name)) || g.to.refuses(g.to.Name) != nil {
		return nil, nil
	}
	final, special, err := resolve(g.to.Name)
	if err != nil || special {
		return nil, nil // open returns the error later
	}
	free := false
	for n := 0; ; n++ { // in the order of beginFor
		part, err := reopen(numbered(final, n))
		if n == 0 && errors.Is(err, fs.ErrNotExist) {
			free = true
			removeJournals(partName(final)) // left by a download that was killed after it renamed the partial file
		}
		switch g.judge(found(n, part, err), free) {
		case resume:
			part.final = final
			part.journal.moveTo(g.req.URL)
			return part, nil
		case busy:
			return nil, err
		case noFurther:
			part.leave()
			return nil, nil
		}
		part.leave()
	}
}

// Leftover returns the name of the partial file of an earlier download to name, or "" if there is
// none. It does not read the file: only the next Save finds out whether it can be resumed.
func Leftover(name string) string {
	final, special, err := resolve(name)
	if err != nil || special {
		return ""
	}
	for n := range maxLooks {
		file := numbered(final, n)
		if part := partName(file); isThere(part) {
			return part
		}
		if !isThere(file) {
			return ""
		}
	}
	return ""
}

// Discard removes the partial file of an earlier download to name, and its journal. A file that
// this package did not create stays. The error is ErrBusy if a download writes the file.
func Discard(name string) error {
	final, special, err := resolve(name)
	if err != nil || special {
		return err
	}
	part, err := reopen(final)
	switch {
	case err == nil:
		err = part.remove()
	case errors.Is(err, fs.ErrNotExist):
		err = removeJournals(partName(final)) // left by a download that was killed after it renamed the partial file
	}
	if errors.Is(err, errForeign) {
		return nil
	}
	return err
}

// found returns the facts about a partial file that was opened under the nth name, or about the
// error err of opening it.
func found(n int, part *partial, err error) leftover {
	l := leftover{n: n, err: err}
	if err == nil {
		l.size, l.unclear = part.size(), part.unclear
		if part.journal != nil {
			l.journal = &part.journal.record
		}
	}
	return l
}
