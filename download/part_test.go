package download_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

func TestPartIsWholeOrNotThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}

	p := create(t, name)
	if _, err := download.Create(name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second Create: %v, want fs.ErrExist", err)
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

func TestCommitBesideSparesWhatIsThere(t *testing.T) {
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

func TestCreateBesideSparesWhatIsBegun(t *testing.T) {
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
