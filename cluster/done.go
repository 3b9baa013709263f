package cluster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A doneSet has the hashes of the URLs of one partition that have a record, with the generation of
// that, in a file. It is derived from the records: it remembers up to which message it has them, and
// its owner adds those after that. It is not synced. A file of another stream of records or of another
// boot of the machine, or one that is damaged, is begun anew.
type doneSet struct {
	path string
	db   *bbolt.DB
	last uint64 // the sequence number of the last message of records that it has
}

// The buckets and keys of the file.
var (
	bucketMarks = []byte("marks") // from a hash to its generation
	bucketFacts = []byte("facts")
	keyAbout    = []byte("about") // the stream of records, and the boot of the machine
	keyLast     = []byte("last")
)

// errDamaged is the error of a file that has to be begun anew.
var errDamaged = errors.New("the set of done URLs is damaged")

// openDone opens the set of a partition in a directory. If another process has the file, a further
// one is used. The caller closes it.
func openDone(dir string, partition int, born string) (*doneSet, error) {
	for n := range 100 {
		d, err := openDoneFile(filepath.Join(dir, fmt.Sprintf("%03d-%d.done", partition, n)), born)
		if !errors.Is(err, bolterrors.ErrTimeout) {
			return d, err
		}
	}
	return nil, fmt.Errorf("%s: too many processes use the sets of done URLs", dir)
}

func openDoneFile(path, born string) (*doneSet, error) {
	about := []byte(born + " " + bootID())
	for again := false; ; again = true {
		d := &doneSet{path: path}
		err := guard(func() (err error) {
			if d.db, err = bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true, Timeout: time.Nanosecond}); err != nil {
				return err
			}
			return d.db.Update(func(tx *bbolt.Tx) error { return d.begin(tx, about) })
		})
		if err == nil {
			return d, nil
		}
		d.close()
		if again || errors.Is(err, bolterrors.ErrTimeout) {
			return nil, err
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
}

// begin checks what a file is about. A new file is made to be about that.
func (d *doneSet) begin(tx *bbolt.Tx, about []byte) error {
	if b := tx.Bucket(bucketFacts); b != nil {
		last := b.Get(keyLast)
		if !bytes.Equal(b.Get(keyAbout), about) || len(last) != 8 || tx.Bucket(bucketMarks) == nil {
			return errDamaged
		}
		d.last = binary.BigEndian.Uint64(last)
		return nil
	}
	if _, err := tx.CreateBucket(bucketMarks); err != nil {
		return err
	}
	b, err := tx.CreateBucket(bucketFacts)
	if err != nil {
		return err
	}
	return errors.Join(b.Put(keyAbout, about), b.Put(keyLast, make([]byte, 8)))
}

// add adds the marks of a message of records.
func (d *doneSet) add(seq uint64, marks []mark) error {
	marks = slices.Clone(marks)
	slices.SortFunc(marks, func(a, b mark) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	var last [8]byte
	binary.BigEndian.PutUint64(last[:], seq)
	err := guard(func() error {
		return d.db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucketMarks)
			for _, m := range marks {
				if have := b.Get(m.hash[:]); len(have) == 1 && have[0] >= m.generation {
					continue
				}
				if err := b.Put(m.hash[:], []byte{m.generation}); err != nil {
					return err
				}
			}
			return tx.Bucket(bucketFacts).Put(keyLast, last[:])
		})
	})
	if err == nil {
		d.last = seq
	}
	return err
}

// has reports for each mark whether there is a record of that generation, or of a later one.
func (d *doneSet) has(marks []mark) (done []bool, err error) {
	done = make([]bool, len(marks))
	err = guard(func() error {
		return d.db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucketMarks)
			for i, m := range marks {
				have := b.Get(m.hash[:])
				done[i] = len(have) == 1 && have[0] >= m.generation
			}
			return nil
		})
	})
	return done, err
}

// close closes the file.
func (d *doneSet) close() {
	if d.db != nil {
		guard(d.db.Close) // what it cannot write is derived again
	}
}

// discard removes the file, which is damaged or lacks marks.
func (d *doneSet) discard() {
	os.Remove(d.path) // while it is locked: no other process has it
	d.close()
}

// guard returns the error of fn. bbolt panics if a page of its file is damaged, and reads beyond the
// end of a file that is too short.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return fn()
}
