package download

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The failures of this package have the classes of package fetchers. A file that cannot be written
// does not count as a document that the server refuses.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		class error
	}{
		{"no permission to write", fileError(fs.ErrPermission), fetchers.ErrWrite},
		{"a missing directory", fileError(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}), fetchers.ErrWrite},
		{"a file that another download writes", fileError(ErrBusy), fetchers.ErrBusy},
		{"a lock that fails", fileError(errors.Join(ErrBusy, fs.ErrPermission)), fetchers.ErrBusy},
		{"a checksum", fmt.Errorf("%w: sha256", ErrChecksum), fetchers.ErrChecksum},
		{"an interruption", fileError(context.Canceled), context.Canceled},
	} {
		if got := fetchers.ClassOf(c.err); got != c.class {
			t.Errorf("%s: the class is %v, want %v", c.name, got, c.class)
		}
		if errors.Is(c.err, fetchers.ErrTemporary) {
			t.Errorf("%s is an ErrTemporary", c.name)
		}
	}
}
