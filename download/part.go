package download

import "context"

// A Part is a file that is being written: NAME.part, beside the final NAME.
// Write to it, then either Commit or Discard, which close it. It is locked meanwhile, so
// that no other download writes to it.
type Part struct {
	out     output
	private bool // a new file is for its owner alone
}

// Create begins the file called name, or the file that name leads to if it is a symbolic
// link. A device or a pipe is not replaced, but written to; Create waits until a pipe has a
// reader. If this package did not make the file that has the name of the partial file, that
// file is left alone, and the partial file gets another name. The error is ErrBusy if another
// download writes the same file.
func Create(name string) (*Part, error) {
	out, err := marked(create(context.Background(), name, replacesOwn))
	if err != nil {
		return nil, err
	}
	return &Part{out: out}, nil
}

// CreatePrivate is Create, but a new file is for its owner alone, where the system has
// permissions.
func CreatePrivate(name string) (*Part, error) {
	p, err := Create(name)
	if err == nil {
		p.private = true
	}
	return p, err
}

// CreateBeside is Create for a file that goes beside others: if another download writes the
// partial file, it begins a further one, and no pipe or device is written to. It goes with
// CommitBeside.
func CreateBeside(name string) (*Part, error) {
	out, err := marked(createBeside(name, replacesOwn))
	if err != nil {
		return nil, err
	}
	return &Part{out: out}, nil
}

// Write appends b to what was written.
func (p *Part) Write(b []byte) (int, error) { return p.out.Write(b) }

// WriteString is Write for a string.
func (p *Part) WriteString(s string) (int, error) { return p.out.Write([]byte(s)) }

// WriteAt writes b at an offset of the file. A pipe has no offsets.
func (p *Part) WriteAt(b []byte, offset int64) (int, error) { return p.out.WriteAt(b, offset) }

// Commit closes the file and gives it its final name, in place of a file that has that name.
// If it fails, nothing is left.
func (p *Part) Commit() error {
	_, err := p.out.commit(context.Background(), finish{private: p.private})
	return err
}

// CommitBeside is Commit, but spares a file that has the name: the new file is then called
// NAME.1, NAME.2 and so on. It returns the name.
func (p *Part) CommitBeside() (name string, err error) {
	return p.out.commit(context.Background(), finish{private: p.private, beside: true})
}

// Discard closes and removes the file.
func (p *Part) Discard() { p.out.discard() }
