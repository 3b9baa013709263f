package download

import "context"

// A Part is a partial file, NAME.part, beside the final NAME. Write to it, and then call Commit or
// Discard, which close it. It is locked until then, so that no other download writes to it.
type Part struct {
	out     output
	private bool // a new file is for its owner only
}

// Create creates the partial file for name, or for the target of name if it is a symbolic link. If
// name is a device or pipe, writes go to it directly; Create waits until a pipe has a reader. If
// another program's file has the name of the partial file, that file stays, and the partial file
// gets another name. The error is ErrBusy if another download writes the same file.
func Create(name string) (*Part, error) {
	out, err := marked(create(context.Background(), name, replacesOwn))
	if err != nil {
		return nil, err
	}
	return &Part{out: out}, nil
}

// CreatePrivate is like Create, but a new file is for its owner only, if the system has
// permissions.
func CreatePrivate(name string) (*Part, error) {
	p, err := Create(name)
	if err == nil {
		p.private = true
	}
	return p, err
}

// CreateBeside is like Create, for a file that must not replace another one. If another download
// writes the partial file, CreateBeside creates one with another name. It never writes to a pipe or
// device. Use it with CommitBeside.
func CreateBeside(name string) (*Part, error) {
	out, err := marked(createBeside(name, replacesOwn))
	if err != nil {
		return nil, err
	}
	return &Part{out: out}, nil
}

// Write appends b to the file.
func (p *Part) Write(b []byte) (int, error) { return p.out.Write(b) }

// WriteString is like Write, for a string.
func (p *Part) WriteString(s string) (int, error) { return p.out.Write([]byte(s)) }

// WriteAt writes b at an offset of the file. It fails for a pipe.
func (p *Part) WriteAt(b []byte, offset int64) (int, error) { return p.out.WriteAt(b, offset) }

// Commit closes the file and renames it to its final name, replacing an existing file. If it fails,
// the partial file is removed.
func (p *Part) Commit() error {
	_, err := p.out.commit(context.Background(), finish{private: p.private})
	return err
}

// CommitBeside is like Commit, but does not replace an existing file: the new file is then called
// NAME.1, NAME.2 and so on. It returns the name.
func (p *Part) CommitBeside() (name string, err error) {
	return p.out.commit(context.Background(), finish{private: p.private, beside: true})
}

// Discard closes and removes the file.
func (p *Part) Discard() { p.out.discard() }
