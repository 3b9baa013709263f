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
	"sync"
	"sync/atomic"
	"time"
)

// A Dir is a Sink in a directory. A body is the file sha256/ab/cd/abcd…, where abcd… is its SHA-256
// in hexadecimal; files in tmp are not whole. Several processes may use the directory at once.
//
// The directory has to be one file system. Names are made of sums only, and a link below the directory is an
// error, so nothing is written outside of it. A directory below that someone removes or moves away is made again.
//
// A body that is there already is not written again if its size is right. A file of another size was
// not synced before the machine stopped, and is replaced: a file system has the size of a file on
// disk after its content.
type Dir struct {
	name  string
	top   *folder // open for as long as there is a Dir: Sync then learns of each failed write
	sync  func() error
	syncs syncs
	lost  atomic.Bool // a Sync failed

	mu   sync.Mutex
	kept map[string]kept // tmp, sha256 and the 256 in that, by their own names, once they were used
}

// A kept is a directory that is open.
type kept struct {
	*folder
	id identity
}

// The directories below, and how long a temporary file is kept when its worker died.
const (
	bodies    = "sha256"
	temporary = "tmp"
	leftover  = 24 * time.Hour
)

// NewDir makes the directory if it is not there, and returns its Dir. It removes from tmp what died
// workers left there a day ago. The caller closes the Dir.
func NewDir(name string) (_ *Dir, err error) {
	d := &Dir{name: filepath.Clean(name), kept: make(map[string]kept)}
	defer func() {
		if err != nil {
			err = errors.Join(d.failed(err), d.Close())
		}
	}()
	if err := os.MkdirAll(name, 0o777); err != nil {
		return nil, err
	}
	if d.top, err = openFolder(name); err != nil {
		return nil, err
	}
	for _, below := range []string{bodies, temporary} {
		if _, err := d.folder(below, ""); err != nil {
			return nil, err
		}
	}
	if err := syncNames(d.top); err != nil {
		return nil, err
	}
	d.sync = func() error { return syncAll(d.top) }
	d.syncs.sync = func() error {
		err := d.sync()
		if err != nil {
			d.lost.Store(true)
		}
		return err
	}
	return d, d.clear(time.Now().Add(-leftover))
}

// folder returns a directory below, or a directory in that, which stays open.
func (d *Dir) folder(name, in string) (*folder, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.keep(d.top, name)
	if err != nil || in == "" {
		return f, err
	}
	return d.keep(f, in)
}

// keep returns a directory in a folder, which stays open. If there is another one by now, or none, it is opened anew:
// bodies do not follow a directory that was moved away. The collector of garbage closes the one before, as other
// bodies may be on their way to it. The mutex is held.
func (d *Dir) keep(in *folder, name string) (*folder, error) {
	have, ok := d.kept[name]
	if now, err := in.stat(name); ok && err == nil && now.id == have.id {
		return have.folder, nil
	}
	f, err := in.enter(name)
	if err != nil {
		return nil, err
	}
	self, err := f.stat(".")
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	d.kept[name] = kept{f, self.id}
	return f, nil
}

// clear removes the temporary files that were last written before a time.
func (d *Dir) clear(before time.Time) error {
	tmp, err := d.folder(temporary, "")
	if err != nil {
		return err
	}
	names, err := d.top.names(temporary)
	for _, name := range names {
		if s, err := tmp.stat(name); err == nil && s.regular && s.modified.Before(before) {
			tmp.remove(name)
		}
	}
	return err
}

// Create begins a body. It costs a file if it has more than 64 KiB.
func (d *Dir) Create(ctx context.Context) (Body, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.failed(err)
	}
	b := &dirBody{dir: d}
	b.spool = newSpool(ctx, b.temp)
	return b, nil
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
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for _, f := range d.kept {
		err = errors.Join(err, f.close())
	}
	clear(d.kept)
	if d.top != nil {
		err = errors.Join(err, d.top.close())
	}
	return err
}

// has reports whether a body is in its folder. After a Sync that failed none counts as there: the system
// tells once that it could not write a file, and has it in memory still.
func (d *Dir) has(in *folder, name string, size int64) (bool, error) {
	s, err := in.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !s.regular {
		return false, fmt.Errorf("%s is no file", in.path(name))
	}
	if s.size != size || d.lost.Load() {
		return false, nil
	}
	return true, syncExisting(in, name)
}

// failed says where an error was.
func (d *Dir) failed(err error) error { return fmt.Errorf("keep a body in %s: %w", d.name, err) }

// A dirBody is a body of a Dir.
type dirBody struct {
	dir   *Dir
	spool *spool
	tmp   *folder // in which the file of the spool is
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

// temp makes a temporary file, and returns its name in the folder of these.
func (b *dirBody) temp() (file *os.File, name string, err error) {
	if b.tmp, err = b.dir.folder(temporary, ""); err != nil {
		return nil, "", err
	}
	for {
		name = strconv.FormatUint(rand.Uint64(), 36)
		file, err = b.tmp.create(name)
		if err == nil {
			return file, name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, "", err
		}
	}
}

func (b *dirBody) Commit() (Object, error) {
	if b.ended {
		return Object{}, b.dir.failed(fs.ErrClosed)
	}
	o, sum := b.spool.object()
	o.Name = filepath.Join(b.dir.name, filepath.FromSlash(key(sum)))
	if err := b.commit(sum); err != nil {
		return Object{}, errors.Join(b.dir.failed(err), b.Discard())
	}
	return o, b.Discard()
}

// commit moves the body to its place.
func (b *dirBody) commit(sum string) error {
	if err := b.spool.ctx.Err(); err != nil {
		return err
	}
	some, err := b.dir.folder(bodies, sum[:2])
	if err != nil {
		return err
	}
	place, err := some.enter(sum[2:4])
	if err != nil {
		return err
	}
	defer place.close()
	if has, err := b.dir.has(place, sum, b.spool.size); has || err != nil {
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
	if err := b.tmp.move(b.spool.name, place, sum); err != nil {
		return err
	}
	b.spool.name = ""
	return syncNames(place)
}

func (b *dirBody) Discard() error {
	b.ended = true
	err := b.spool.close()
	if b.spool.name != "" {
		err = errors.Join(err, b.tmp.remove(b.spool.name))
		b.spool.name = ""
	}
	if err != nil {
		err = b.dir.failed(err)
	}
	return err
}
