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

// A tree is the directory of a copy. No path leads out of it, not even through a symbolic link.
type tree struct {
	dir  string
	root *os.Root
	fold bool // file names ignore case

	mu   sync.Mutex
	open map[string]*branch
	used []string // the branches, in the order of opening
}

// A branch is a directory of a tree that is kept open: otherwise each path would be resolved from
// the top.
type branch struct {
	root  *os.Root
	users int
	gone  bool // closed when users is 0
}

// maxBranches limits the number of open directories.
const maxBranches = 64

// openTree opens the directory, and creates it if necessary.
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

// branch returns the directory of a file. The caller calls done after use. If mk is true, it
// creates a missing directory.
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

// drop removes a branch. The caller holds the lock.
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

// probe finds out whether file names ignore case, with the file of the Frontier.
func (t *tree) probe() {
	lower, err := t.root.Stat(stateName)
	if err != nil {
		return
	}
	upper, err := t.root.Stat(strings.ToUpper(stateName))
	t.fold = err == nil && os.SameFile(lower, upper)
}

// stat returns the info of a path, and nil if it does not exist. It does not follow a symbolic
// link.
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

// mkdir creates the directory of a file.
func (t *tree) mkdir(name string) error {
	_, done, err := t.branch(name, true)
	if err == nil {
		done()
	}
	return err
}

// abs returns the name of a file for the operating system.
func (t *tree) abs(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// date sets the time of a file, if the system can.
func (t *tree) date(name string, when time.Time) {
	if dir, done, err := t.branch(name, false); err == nil {
		defer done()
		dir.Chtimes(path.Base(name), when, when)
	}
}

// remove removes a file, and the directories above it that become empty.
func (t *tree) remove(name string) error {
	if err := t.root.Remove(filepath.FromSlash(name)); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		t.drop(dir) // not every system can remove an open directory
		if t.root.Remove(filepath.FromSlash(dir)) != nil {
			break // not empty
		}
	}
	return nil
}

// read opens a file for reading.
func (t *tree) read(name string) (*os.File, error) {
	dir, done, err := t.branch(name, false)
	if err != nil {
		return nil, err
	}
	defer done()
	return dir.Open(path.Base(name))
}
