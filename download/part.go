package download

import "context"

// A Part is a file that is being written: NAME.part, beside the final NAME.
// Write to it, then either Commit or Discard, which close it. It is locked meanwhile, so
// that no other download writes to it.
type Part struct {
	out     output
	private bool // a new file is for its owner alone
}

// Create begins the file called name. If name is a symbolic link, the file it
// leads to is begun. What is there and cannot be replaced, such as a device or a
// pipe, is opened and written to. A file that has the name of the part and was
// not made by this package is left alone, and the part gets another name. ErrBusy
// if another download writes the same file. Until somebody reads a pipe, Create waits.
func Create(name string) (*Part, error) {
	out, err := create(context.Background(), name, replacesOwn)
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

// CreateBeside is Create, but begins another part if somebody has that one. It
// goes with CommitBeside.
func CreateBeside(name string) (*Part, error) {
	out, err := createBeside(name, replacesOwn)
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

// Commit gives the file its final name, in place of a file that has that name.
func (p *Part) Commit() error {
	_, err := p.out.commit(context.Background(), finish{private: p.private})
	return err
}

// CommitBeside is Commit, but spares a file that has the name: the new one is
// then called NAME.1, NAME.2 and so on. It returns the name.
func (p *Part) CommitBeside() (name string, err error) {
	return p.out.commit(context.Background(), finish{private: p.private, beside: true})
}

// Discard removes what was written.
func (p *Part) Discard() { p.out.discard() }
