package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// A Dir is a Sink in a directory. A body is the file sha256/ab/cd/abcd…, where abcd… is its SHA-256
// in hexadecimal; files in tmp are not whole. Several processes may use the directory at once.
//
// The directory has to be one file system. Names are made of sums only, and a link that leads out of the
// directory is an error, so nothing is written outside of it.
//
// A body that is there already is not written again if its size is right. A file of another size was
// not synced before the machine stopped, and is replaced: a file system has the size of a file on
// disk after its content.
type Dir struct {
	name  string
	root  *os.Root // the directory: no name leads out of it
	self  *os.File // the same for Sync, for as long as there is a Dir: it then learns of each failed write
	sync  func() error
	syncs syncs
	lost  atomic.Bool // a Sync failed
}

// The directory of files that are not whole, and how long such a file is kept when its worker died.
const (
	temporary = "tmp"
	leftover  = 24 * time.Hour
)

// NewDir makes the directory if it is not there, and returns its Dir. It removes from tmp what died
// workers left there a day ago. The caller closes the Dir.
func NewDir(name string) (_ *Dir, err error) {
	d := &Dir{name: filepath.Clean(name)}
	defer func() {
		if err != nil {
			err = errors.Join(d.failed(err), d.Close())
		}
	}()
	if err := os.MkdirAll(name, 0o777); err != nil {
		return nil, err
	}
	if d.root, err = os.OpenRoot(name); err != nil {
		return nil, err
	}
	if d.self, err = d.root.Open("."); err != nil {
		return nil, err
	}
	for _, below := range []string{"sha256", temporary} {
		if err := d.mkdir(below); err != nil {
			return nil, err
		}
	}
	if err := syncDir(d.root, "."); err != nil {
		return nil, err
	}
	d.sync = func() error { return syncAll(d.self) }
	d.syncs.sync = func() error {
		err := d.sync()
		if err != nil {
			d.lost.Store(true)
		}
		return err
	}
	return d, d.clear(time.Now().Add(-leftover))
}

// mkdir makes a directory below, unless it is there.
func (d *Dir) mkdir(below string) error {
	err := d.root.Mkdir(below, 0o777)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := d.root.Lstat(below); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no directory", filepath.Join(d.name, below)))
	}
	return nil
}

// clear removes the temporary files that were last written before a time.
func (d *Dir) clear(before time.Time) error {
	entries, err := fs.ReadDir(d.root.FS(), temporary)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			d.root.Remove(filepath.Join(temporary, e.Name()))
		}
	}
	return err
}

// Create begins a body. It costs a file if it has more than 64 KiB.
func (d *Dir) Create(ctx context.Context) (Body, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.failed(err)
	}
	return &dirBody{dir: d, spool: newSpool(ctx, d.temp)}, nil
}

// Sync returns when all bodies committed before are on stable storage: on Linux by one syncfs for
// all that wait, so everything else in the file system is written as well. On other systems each
// Commit does it.
func (d *Dir) Sync(ctx context.Context) error {
	if err := d.syncs.wait(ctx); err != nil {
		return d.failed(err)
	}
	return nil
}

// Close ends the Dir. No body may be in work.
func (d *Dir) Close() error {
	d.syncs.end()
	var err error
	if d.self != nil {
		err = d.self.Close()
	}
	if d.root != nil {
		err = errors.Join(err, d.root.Close())
	}
	return err
}

// temp makes a temporary file and returns its path in the directory.
func (d *Dir) temp() (file *os.File, name string, err error) {
	for {
		name = filepath.Join(temporary, strconv.FormatUint(rand.Uint64(), 36))
		file, err = d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return file, name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, "", err
		}
	}
}

// has reports whether a body is there. After a Sync that failed none counts as there: the system
// tells once that it could not write a file, and has it in memory still.
func (d *Dir) has(path string, size int64) (bool, error) {
	info, err := d.root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is no file", path)
	}
	if info.Size() != size || d.lost.Load() {
		return false, nil
	}
	return true, syncExisting(d.root, path)
}

// put moves a file to its place.
func (d *Dir) put(file, path string) error {
	err := d.root.Rename(file, path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.root.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		err = d.root.Rename(file, path)
	}
	if err != nil {
		return err
	}
	return syncDir(d.root, filepath.Dir(path))
}

// failed says where an error was.
func (d *Dir) failed(err error) error { return fmt.Errorf("keep a body in %s: %w", d.name, err) }

// A dirBody is a body of a Dir.
type dirBody struct {
	dir   *Dir
	spool *spool
	ended bool
}

func (b *dirBody) Write(p []byte) (int, error) {
	if b.ended {
		return 0, b.dir.failed(fs.ErrClosed)
	}
	n, err := b.spool.Write(p)
	if err != nil {
		err = b.dir.failed(err)
	}
	return n, err
}

func (b *dirBody) Commit() (Object, error) {
	if b.ended {
		return Object{}, b.dir.failed(fs.ErrClosed)
	}
	o, sum := b.spool.object()
	path := filepath.FromSlash(key(sum))
	o.Name = filepath.Join(b.dir.name, path)
	if err := b.commit(path); err != nil {
		return Object{}, errors.Join(b.dir.failed(err), b.Discard())
	}
	return o, b.Discard()
}

func (b *dirBody) commit(path string) error {
	if err := b.spool.ctx.Err(); err != nil {
		return err
	}
	if has, err := b.dir.has(path, b.spool.size); has || err != nil {
		return err
	}
	if b.spool.file == nil {
		if err := b.spool.toFile(); err != nil {
			return err
		}
	}
	if err := syncFile(b.spool.file); err != nil {
		return err
	}
	if err := b.spool.close(); err != nil {
		return err
	}
	if err := b.dir.put(b.spool.name, path); err != nil {
		return err
	}
	b.spool.name = ""
	return nil
}

func (b *dirBody) Discard() error {
	b.ended = true
	err := b.spool.close()
	if b.spool.name != "" {
		err = errors.Join(err, b.dir.root.Remove(b.spool.name))
		b.spool.name = ""
	}
	if err != nil {
		err = b.dir.failed(err)
	}
	return err
}
