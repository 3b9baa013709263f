package download_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

func TestPartIsWholeOrNotThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}

	p := create(t, name)
	if _, err := download.Create(name); !errors.Is(err, download.ErrBusy) {
		t.Errorf("a second Create: %v, want ErrBusy", err)
	}
	p.WriteString("ne")
	wantFile(t, name, "old")
	p.Discard()
	wantNone(t, name+".part")
	wantFile(t, name, "old")

	p = create(t, name)
	p.WriteString("new")
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	wantNone(t, name+".part")
	wantFile(t, name, "new")
}

func TestDevicesAreWrittenTo(t *testing.T) {
	for _, end := range []func(*download.Part){func(p *download.Part) { p.Commit() }, (*download.Part).Discard} {
		p := create(t, os.DevNull)
		if _, err := p.WriteString("anything"); err != nil {
			t.Error(err)
		}
		end(p)
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Fatalf("%s is %v, %v", os.DevNull, info, err)
		}
	}
}

func TestLinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.txt"), filepath.Join(dir, "link")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", link); err != nil {
		t.Fatal(err)
	}
	p := create(t, link)
	p.WriteString("new")
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, name, "new")
	if to, err := os.Readlink(link); to != "a.txt" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// A link to a missing file creates that file; a link into a missing directory is an error.
func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"real", "there"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"alias": "real", "real/first": "second", "real/second": "../there/new.txt", // which differs from alias/../there
		"absolute": filepath.Join(dir, "there", "absolute.txt"), "loop": "loop", "nowhere": "missing/new.txt",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err) // on Windows not every user may create links
		}
	}
	for link, to := range map[string]string{"alias/first": "there/new.txt", "absolute": "there/absolute.txt"} {
		p := create(t, filepath.Join(dir, link))
		p.WriteString("new")
		if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, filepath.Join(dir, to), "new")
	}
	for _, link := range []string{"loop", "nowhere"} {
		if p, err := download.Create(filepath.Join(dir, link)); err == nil {
			p.Discard()
			t.Errorf("%s can be written", link)
		}
	}
	for _, link := range []string{"real/first", "real/second", "absolute", "loop", "nowhere"} {
		if _, err := os.Readlink(filepath.Join(dir, link)); err != nil {
			t.Error(err)
		}
	}
}

// A download can have the name of another's partial file.
func TestPartThatWasReplaced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	a, b := create(t, name), create(t, name+".part")
	a.WriteString("a")
	b.WriteString("b")
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(); err == nil {
		t.Error("a took what is b's")
	}
	wantFile(t, name+".part", "b")
	wantNone(t, name)
}

func TestCommitBesideKeepsExistingFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	for _, want := range []string{name, name + ".1", name + ".2"} {
		p := create(t, name)
		p.WriteString(want)
		if got, err := p.CommitBeside(); got != want || err != nil {
			t.Fatalf("CommitBeside = %q, %v; want %q", got, err, want)
		}
		wantFile(t, want, want)
		wantNone(t, name+".part")
	}
}

func TestCreateBesideSparesPartialFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	var parts []*download.Part
	for range 3 {
		p, err := download.CreateBeside(name)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	for i, want := range []string{name, name + ".1", name + ".2"} {
		if got, err := parts[i].CommitBeside(); got != want || err != nil {
			t.Errorf("CommitBeside = %q, %v; want %q", got, err, want)
		}
	}
	if left, _ := filepath.Glob(name + "*.part"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A file with the name of a partial file that is not one stays, and does not block a download.
func TestForeignPart(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name+".part", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := create(t, name)
	p.WriteString("a")
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, name, "a")
	wantFile(t, name+".part", "mine")
}

func TestCreateRefusesADirectory(t *testing.T) {
	if _, err := download.Create(t.TempDir()); err == nil {
		t.Error("no error")
	}
}

func create(t *testing.T, name string) *download.Part {
	t.Helper()
	p, err := download.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantFile(t *testing.T, name, content string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != content {
		t.Errorf("%s holds %q, %v; want %q", name, got, err, content)
	}
}

func wantNone(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there (%v)", name, err)
	}
}

// TestManyBeside checks that each of many concurrent downloads with one name gets a name.
func TestManyBeside(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				p, err := download.CreateBeside(name)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := p.CommitBeside(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if files, _ := filepath.Glob(name + "*"); len(files) != 400 {
		t.Errorf("%d files, want 400", len(files))
	}
}
