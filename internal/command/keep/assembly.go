package keep

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/record"
)

// assemblies put files together whose parts are in several messages. A file gets its name
// when all of its parts are there. The methods may be called by many goroutines at a time.
type assemblies struct {
	mu      sync.Mutex
	waiting []*assembly
}

// maxWaiting bounds the files that wait for their other parts, each of which is open.
const maxWaiting = 100

// An assembly is a file of which some parts are there.
type assembly struct {
	partKey
	part  *download.Part
	taken []fetchers.Range // by the parts that are there, or are being written
	there int64            // octets that are there
}

// A partKey is equal for the parts of one file.
type partKey struct {
	name string
	size int64
}

// add writes a part of a file to its offset in it, and names the file after the last part.
func (a *assemblies) add(m *message.File, name string) error {
	span := fetchers.Range{Offset: m.Piece.Offset, Length: m.Piece.Length}
	as, fresh, err := a.reserve(partKey{name, m.Piece.Size}, span)
	if err != nil {
		return err
	}
	if fresh {
		// Octets beyond the announced length are not written, and are an error of the Body.
		w := io.NewOffsetWriter(as.part, span.Offset)
		_, err = io.Copy(term.Output(w), io.LimitReader(m.Body, span.Length))
	}
	if err == nil {
		_, err = io.Copy(io.Discard, m.Body)
	}
	if err != nil {
		err = fmt.Errorf("%s, part %d: %w", filepath.Base(name), m.Piece.Number, err)
	}
	if !fresh {
		return err
	}
	return a.wrote(as, span, err)
}

// reserve returns the file that a part belongs to. The part is not fresh if it is there
// already, or is being written: the copy may be damaged, and does not replace the first.
func (a *assemblies) reserve(k partKey, span fetchers.Range) (as *assembly, fresh bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if as, err = a.find(k); err != nil {
		return nil, false, err
	}
	for _, taken := range as.taken {
		switch {
		case taken == span:
			return as, false, nil
		case span.Offset < taken.Offset+taken.Length && taken.Offset < span.Offset+span.Length:
			return nil, false, fmt.Errorf("%w: %s: its parts overlap", message.ErrMalformed, filepath.Base(k.name))
		}
	}
	as.taken = append(as.taken, span)
	return as, true, nil
}

// find returns the file that waits for parts with a key, or begins it. a.mu is held.
func (a *assemblies) find(k partKey) (*assembly, error) {
	i := slices.IndexFunc(a.waiting, func(as *assembly) bool { return as.partKey == k })
	if i >= 0 {
		return a.waiting[i], nil
	}
	if len(a.waiting) == maxWaiting {
		return nil, record.OutputError{Err: fmt.Errorf("%s: %d files wait for their other parts, and that is enough", k.name, maxWaiting)}
	}
	part, err := download.CreateBeside(k.name)
	if err != nil {
		return nil, record.OutputError{Err: err}
	}
	as := &assembly{partKey: k, part: part}
	a.waiting = append(a.waiting, as)
	return as, nil
}

// wrote notes that a part was written, unless err says that it was not. It returns err, or
// the failure to name the whole file.
func (a *assemblies) wrote(as *assembly, span fetchers.Range, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		as.taken = slices.DeleteFunc(as.taken, func(taken fetchers.Range) bool { return taken == span })
		return err
	}
	if as.there += span.Length; as.there < as.size {
		return nil
	}
	a.waiting = slices.DeleteFunc(a.waiting, func(other *assembly) bool { return other == as })
	if _, err := as.part.CommitBeside(); err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}

// finish removes the files that lack a part, and returns an error that names them. They
// wait for no part after that.
func (a *assemblies) finish() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var failed []error
	for _, as := range a.waiting {
		as.part.Discard()
		failed = append(failed, fmt.Errorf("%s: %w: only %d of its %d bytes are in these messages", as.name, io.ErrUnexpectedEOF, as.there, as.size))
	}
	a.waiting = nil
	return errors.Join(failed...)
}
