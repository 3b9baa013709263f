package sink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func newDir(t testing.TB, name string) *Dir {
	t.Helper()
	d, err := NewDir(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// store keeps a text, which it writes in pieces.
func store(ctx context.Context, s Sink, text string) (Object, error) {
	b, err := s.Create(ctx)
	if err != nil {
		return Object{}, err
	}
	defer b.Discard()
	for len(text) > 0 {
		n := min(len(text), 30_000)
		if _, err := b.Write([]byte(text[:n])); err != nil {
			return Object{}, err
		}
		text = text[n:]
	}
	return b.Commit()
}

// content returns a text of a size, which is another one for each seed.
func content(seed uint64, size int) string {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return string(b)
}

// check checks that o has the sum and the size of a text.
func check(t *testing.T, o Object, text string) {
	t.Helper()
	if o.SHA256 != sha256.Sum256([]byte(text)) || o.Size != int64(len(text)) {
		t.Errorf("%x of %d bytes, want %x of %d", o.SHA256, o.Size, sha256.Sum256([]byte(text)), len(text))
	}
}

// filesIn returns the files below a directory with their content.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(strings.TrimPrefix(name, dir))] = string(text)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// checkWhole checks that each file below a directory has the sum of its name, and that there are so many.
func checkWhole(t *testing.T, dir string, count int) {
	t.Helper()
	files := filesIn(t, dir)
	for name, text := range files {
		sum := sha256.Sum256([]byte(text))
		if want := "/" + key(hex.EncodeToString(sum[:])); name != want {
			t.Errorf("%s has %d bytes, whose place is %s", name, len(text), want)
		}
	}
	if len(files) != count {
		t.Errorf("%d files, want %d", len(files), count)
	}
}

func TestBodiesAreFilesNamedByTheirSum(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	for _, size := range []int{0, 1, 1000, inMemory - 1, inMemory, inMemory + 1, 1_000_000} {
		text := content(uint64(size), size)
		o, err := store(t.Context(), d, text)
		if err != nil {
			t.Fatal(err)
		}
		check(t, o, text)
		if got, err := os.ReadFile(o.Name); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", o.Name, len(got), err)
		}
	}
	if err := d.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	checkWhole(t, dir, 7)
	if _, err := os.Stat(filepath.Join(dir, "sha256/e3/b0/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")); err != nil {
		t.Error(err)
	}
}

func TestABodyThatIsThereIsNotWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	for _, size := range []int{10, 100_000} {
		text := content(1, size)
		first, err := store(t.Context(), d, text)
		if err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(first.Name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := store(t.Context(), newDir(t, dir), text)
		if err != nil || again != first {
			t.Errorf("%+v, %v, want %+v", again, err, first)
		}
		if after, err := os.Stat(first.Name); err != nil || !os.SameFile(before, after) {
			t.Errorf("the file was replaced: %v", err)
		}
	}
	checkWhole(t, dir, 2)
}

func TestABodyOfAnotherSizeIsReplaced(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	text := content(2, 5000)
	o, err := store(t.Context(), d, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(o.Name, 4096); err != nil {
		t.Fatal(err)
	}
	if _, err := store(t.Context(), d, text); err != nil {
		t.Error(err)
	}
	checkWhole(t, dir, 1)
}

func TestABodyIsWrittenAgainAfterASyncThatFailed(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	d.sync = func() error { return errors.New("no such disk") }
	o, err := store(t.Context(), d, "text")
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(o.Name)
	if err := d.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "no such disk") {
		t.Fatal(err)
	}
	if _, err := store(t.Context(), d, "text"); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(o.Name); err != nil || os.SameFile(before, after) {
		t.Errorf("the file that may be lost was kept: %v", err)
	}
	checkWhole(t, dir, 1)
}

func TestDiscardLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	for _, size := range []int{10, 100_000} {
		b, err := d.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Write(make([]byte, size)); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := b.Discard(); err != nil {
				t.Error(err)
			}
		}
		if _, err := b.Commit(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Commit after Discard: %v", err)
		}
		if _, err := b.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Write after Discard: %v", err)
		}
	}
	checkWhole(t, dir, 0)
}

func TestAnEndedContextKeepsNothing(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	b, err := d.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b.Write([]byte("text"))
	cancel()
	if _, err := b.Commit(); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := d.Create(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Create: %v", err)
	}
	if err := d.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Sync: %v", err)
	}
	checkWhole(t, dir, 0)
}

// Two workers on one directory keep the same bodies at once, while a third one reads them: a file
// under a final name is always whole.
func TestWorkersShareADirectory(t *testing.T) {
	dir := t.TempDir()
	const bodies = 200
	texts := make([]string, bodies)
	for i := range texts {
		texts[i] = content(uint64(i), 1+i*700) // up to 140,000 bytes: with and without a file before Commit
	}
	var all sync.WaitGroup
	for w := range 2 {
		d := newDir(t, dir)
		for g := range 4 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), uint64(g)))
				for _, i := range r.Perm(bodies) {
					o, err := store(t.Context(), d, texts[i])
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := os.ReadFile(o.Name); err != nil || string(got) != texts[i] {
						t.Errorf("body %d: %d bytes, %v", i, len(got), err)
					}
				}
				if err := d.Sync(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	checkWhole(t, dir, bodies)
}

func TestTemporaryFilesOfDeadWorkersAreRemovedAfterADay(t *testing.T) {
	dir := t.TempDir()
	newDir(t, dir)
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "new": 23 * time.Hour} {
		path := filepath.Join(dir, "tmp", name)
		if err := os.WriteFile(path, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	newDir(t, dir)
	if files := filesIn(t, dir); len(files) != 1 || files["/tmp/new"] != "half" {
		t.Errorf("%q", files)
	}
}

// A syncfs of the directory would not reach what is kept by way of a link.
func TestALinkInPlaceOfADirectoryIsRefused(t *testing.T) {
	for _, name := range []string{"sha256", "tmp"} {
		dir := t.TempDir()
		if err := os.Symlink(t.TempDir(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := NewDir(dir); err == nil || !strings.Contains(err.Error(), "not a directory") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALinkOutOfTheDirectoryIsAnError(t *testing.T) {
	sum := sha256.Sum256([]byte("text"))
	place := key(hex.EncodeToString(sum[:]))
	for _, link := range []string{place, filepath.Dir(place), filepath.Dir(filepath.Dir(place))} {
		for _, to := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
			dir := t.TempDir()
			d := newDir(t, dir)
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(link)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
			if _, err := store(t.Context(), d, "text"); err == nil {
				t.Errorf("a body is kept by way of the link %s", link)
			}
			if outside, _ := os.ReadDir(to); len(outside) > 0 {
				t.Errorf("%s: outside there are %v", link, outside)
			}
			if files := filesIn(t, filepath.Join(dir, "tmp")); len(files) > 0 {
				t.Errorf("%s: left over: %q", link, files)
			}
		}
	}
}

// The directories are kept open.
func TestADirectoryThatWasRemovedIsMadeAgain(t *testing.T) {
	for _, name := range []string{"tmp", "sha256", "sha256/*", "sha256/*/*"} {
		dir := t.TempDir()
		d := newDir(t, dir)
		if _, err := store(t.Context(), d, "text"); err != nil {
			t.Fatal(err)
		}
		all, err := filepath.Glob(filepath.Join(dir, name))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if err := os.RemoveAll(all[0]); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"text", "text", "another text", "another text"} {
			o, err := store(t.Context(), d, text)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, err := os.ReadFile(o.Name); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		checkWhole(t, dir, 2)
	}
}

// A directory that is open in a Dir is moved away. The next bodies do not follow it, as their records name files of
// the sink.
func TestADirectoryThatWasMovedAwayHasNoMoreBodies(t *testing.T) {
	for _, name := range []string{"tmp", "sha256", "sha256/ab"} {
		for _, link := range []bool{false, true} {
			dir, outside := filepath.Join(t.TempDir(), "sink"), filepath.Join(t.TempDir(), "outside")
			d := newDir(t, dir)
			if _, err := store(t.Context(), d, textOf("ab", 1)); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, name), outside); err != nil {
				t.Fatal(err)
			}
			if link {
				if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			before := len(filesIn(t, outside))
			o, err := store(t.Context(), d, textOf("ab", 2))
			if (err != nil) != link {
				t.Errorf("%s, link %v: %v", name, link, err)
			}
			if _, lost := os.Lstat(o.Name); err == nil && lost != nil {
				t.Errorf("%s: the body is lost: %v", name, lost)
			}
			large, err := d.Create(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			large.Write(make([]byte, inMemory+1))
			if after := len(filesIn(t, outside)); after != before {
				t.Errorf("%s, link %v: %d files outside, and %d before", name, link, after, before)
			}
			large.Discard()
		}
	}
}

// textOf returns a text whose SHA-256 begins with a prefix.
func textOf(prefix string, n int) string {
	for i := 0; ; i++ {
		text := fmt.Sprint("text ", n, " ", i)
		sum := sha256.Sum256([]byte(text))
		if hex.EncodeToString(sum[:])[:len(prefix)] == prefix {
			return text
		}
	}
}

func TestADirectoryInThePlaceOfABodyIsAnError(t *testing.T) {
	dir := t.TempDir()
	d := newDir(t, dir)
	sum := sha256.Sum256([]byte("text"))
	if err := os.MkdirAll(filepath.Join(dir, key(hex.EncodeToString(sum[:]))), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := store(t.Context(), d, "text"); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("%v", err)
	}
}

func TestTheDirectoryOfAFileIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := NewDir(file); err == nil || !strings.HasPrefix(err.Error(), "keep a body in "+file) {
		t.Errorf("%v", err)
	}
}

func TestAClosedDirDoesNotSync(t *testing.T) {
	d, err := NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(t.Context()); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// BenchmarkSmall keeps bodies of 1 KB, all different, with a Sync for each 1,000.
func BenchmarkSmall(b *testing.B) {
	d := newDir(b, b.TempDir())
	text := bytes.Repeat([]byte("x"), 1024)
	b.SetBytes(int64(len(text)))
	for i := 0; b.Loop(); i++ {
		copy(text, fmt.Sprint(i))
		body, err := d.Create(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		body.Write(text)
		if _, err := body.Commit(); err != nil {
			b.Fatal(err)
		}
		if i%1000 == 999 {
			if err := d.Sync(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}
