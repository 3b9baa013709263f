package conformance

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/url"
)

// Tree checks that a Fetcher makes a file system of the directory root, in a protocol with
// listings: that [fetchers.FS] passes [fstest.TestFS] and has the files of want with their content,
// that ranges of them are served or made up for, and that [fetchers.Walk] finds the same files.
// Every byte is requested alone once, so files should be short. Files that want does not have are
// not compared. Like Run, Tree must not run in parallel with other tests.
func Tree(t *testing.T, f fetchers.Fetcher, root *url.URL, want fs.FS) {
	t.Helper()
	before := leak.Now()
	files := contents(t, want)
	fsys := fetchers.NewFS(t.Context(), f, root)

	t.Run("the tree is a file system", func(t *testing.T) {
		if err := fstest.TestFS(fsys, slices.Sorted(maps.Keys(files))...); err != nil {
			t.Error(err)
		}
	})
	t.Run("files have their content", func(t *testing.T) {
		for name, content := range files {
			got, err := fs.ReadFile(fsys, name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkBytes(t, got, content)
			checkFile(t, fsys, name, content)
		}
	})
	t.Run("a name that is not there does not exist", func(t *testing.T) {
		for _, name := range []string{"no such file", "no such directory/file", "%2E%2E"} {
			_, err := fs.Stat(fsys, name)
			if failed := new(fs.PathError); !errors.As(err, &failed) || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: error %v, want a PathError that is fs.ErrNotExist", name, err)
			}
		}
	})
	t.Run("a walk finds the files", func(t *testing.T) {
		missing := make(map[string]int) // by the last element of the name
		for name := range files {
			missing[path.Base(name)]++
		}
		for e, err := range fetchers.Walk(t.Context(), f, root) {
			if err != nil {
				t.Errorf("%v: %v", e.URL.Redacted(), err)
			}
			if e.Kind == fetchers.Document {
				missing[e.File()]--
			}
		}
		for name, n := range missing {
			if n > 0 {
				t.Errorf("%s was not found", name)
			}
		}
	})
	t.Run("nothing is left behind", func(t *testing.T) {
		if f, ok := f.(fetchers.IdleCloser); ok {
			f.CloseIdle()
		}
		if err := before.Check(); err != nil {
			t.Error(err)
		}
	})
}

// contents returns the files of fsys by their name in an FS.
func contents(t *testing.T, fsys fs.FS) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		elements := strings.Split(name, "/")
		for i, e := range elements {
			elements[i] = fetchers.Entry{Name: e}.File()
		}
		files[strings.Join(elements, "/")] = content
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files to compare with: %v", len(files), err)
	}
	return files
}

// checkFile opens a file, and reads parts of it where that is possible.
func checkFile(t *testing.T, fsys fs.FS, name string, content []byte) {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	part := len(content) / 2
	if s, ok := f.(io.ReadSeeker); ok {
		if _, err := s.Seek(-int64(part), io.SeekEnd); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		content = content[len(content)-part:]
	}
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%s: read %d bytes, %v, want the %d at the end", name, len(got), err, len(content))
	}
}
