package mirror

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A tree is the directory of a mirror. No name leads out of it, be it by a symbolic link.
type tree struct {
	dir  string
	root *os.Root
	fold bool // names that differ in case are the same

	mu   sync.Mutex
	open map[string]*branch
	used []string // the branches, in the order in which they were opened
}

// A branch is a directory of a tree that is kept open: otherwise each name would be looked up from the top.
type branch struct {
	root  *os.Root
	users int
	gone  bool // it is closed once nobody uses it
}

// maxBranches is how many directories are kept open.
const maxBranches = 64

// openTree opens the directory, and makes it if it is not there.
func openTree(dir string) (*tree, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &tree{dir: dir, root: root, open: make(map[string]*branch)}, nil
}

// close closes all directories.
func (t *tree) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.open {
		b.root.Close()
	}
	return t.root.Close()
}

// branch returns the directory that a file is in, until done is called. If mk, it is made where it is not there.
func (t *tree) branch(name string, mk bool) (dir *os.Root, done func(), err error) {
	within := path.Dir(name)
	if within == "." {
		return t.root, func() {}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.open[within]
	if b == nil {
		local := filepath.FromSlash(within)
		if mk {
			if err := t.root.MkdirAll(local, 0o777); err != nil {
				return nil, nil, err
			}
		}
		root, err := t.root.OpenRoot(local)
		if err != nil {
			return nil, nil, err
		}
		b = &branch{root: root}
		t.open[within] = b
		t.used = append(t.used, within)
		if len(t.used) > maxBranches {
			t.drop(t.used[0])
		}
	}
	b.users++
	return b.root, func() { t.release(b) }, nil
}

// release ends the use of a branch.
func (t *tree) release(b *branch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.users--; b.users == 0 && b.gone {
		b.root.Close()
	}
}

// drop forgets a branch. The caller has locked t.
func (t *tree) drop(within string) {
	b := t.open[within]
	delete(t.open, within)
	for i, name := range t.used {
		if name == within {
			t.used = append(t.used[:i], t.used[i+1:]...)
			break
		}
	}
	if b == nil {
		return
	}
	if b.gone = true; b.users == 0 {
		b.root.Close()
	}
}

// probe finds out whether names that differ in case are the same, by the file of the Frontier.
func (t *tree) probe() {
	lower, err := t.root.Stat(stateName)
	if err != nil {
		return
	}
	upper, err := t.root.Stat(strings.ToUpper(stateName))
	t.fold = err == nil && os.SameFile(lower, upper)
}

// stat returns what there is at a path, and nil if there is nothing. A symbolic link is what it is.
func (t *tree) stat(name string) (fs.FileInfo, error) {
	dir, done, err := t.branch(name, false)
	var info fs.FileInfo
	if err == nil {
		defer done()
		info, err = dir.Lstat(path.Base(name))
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return info, err
}

// mkdir makes the directory of a file.
func (t *tree) mkdir(name string) error {
	_, done, err := t.branch(name, true)
	if err == nil {
		done()
	}
	return err
}

// abs returns the name of a file for the rest of the system.
func (t *tree) abs(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// date sets the time of a file, where the system can.
func (t *tree) date(name string, when time.Time) {
	if dir, done, err := t.branch(name, false); err == nil {
		defer done()
		dir.Chtimes(path.Base(name), when, when)
	}
}

// remove removes a file, and the directories above it that are empty then.
func (t *tree) remove(name string) error {
	if err := t.root.Remove(filepath.FromSlash(name)); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		t.drop(dir) // an open directory cannot be removed everywhere
		if t.root.Remove(filepath.FromSlash(dir)) != nil {
			break // it has something in it
		}
	}
	return nil
}

// read opens a file.
func (t *tree) read(name string) (*os.File, error) {
	dir, done, err := t.branch(name, false)
	if err != nil {
		return nil, err
	}
	defer done()
	return dir.Open(path.Base(name))
}
