package download

import (
	"context"
	"io"
)

// An unnamed file has no name until it is whole, so that no other program can write to it, and a
// kill leaves nothing of it.
type unnamed struct {
	handle
	name  string                                // the final name
	named func(context.Context) (output, error) // opens an output that has a name from its beginning
}

func (u *unnamed) readable() bool { return true }

// commit gives the file its name. If the name is taken, or the system cannot do it, the content is
// copied to an output with a name, which can replace an existing file or leave it alone.
func (u *unnamed) commit(ctx context.Context, how finish) (string, error) {
	defer u.file.Close()
	if how.modified.IsZero() || dateUnnamed(u.file, how.modified) == nil {
		if linkUnnamed(u.file, u.name) == nil {
			return u.name, nil
		}
	}
	named, err := u.named(ctx)
	if err != nil {
		return "", err
	}
	if _, err = u.file.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(named, u.file)
	}
	if err != nil {
		named.discard()
		return "", err
	}
	return named.commit(ctx, how)
}

func (u *unnamed) discard() { u.file.Close() }
