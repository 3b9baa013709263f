//go:build unix

package download

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// TestLostContentStaysLost checks that sync keeps its first error: the system reports lost content
// only once. Syncing a pipe fails; syncing a file succeeds.
func TestLostContentStaysLost(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	p, err := begin(name, func(*record) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file := p.file
	p.file = w
	p.journal = new(journal)
	p.record(nil, func() []span { return []span{{0, 1}} })(false)
	p.file = file
	if len(p.journal.Have) > 0 {
		t.Error("the journal says that it is there")
	}
	p.journal = nil
	if _, err := p.commit(t.Context(), finish{}); err == nil {
		t.Error("it gets its name")
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Error(err)
	}
	if _, err := os.Stat(name + ".part"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestTakenBeforeItIsLocked checks that another download that finds the journal of an earlier
// partial file may use and finish a new partial file before its creator has locked it.
func TestTakenBeforeItIsLocked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	u, err := url.Parse("http://a/f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newJournal(name+".part", u, &fetchers.Resource{Size: 5}); err != nil {
		t.Fatal(err)
	}
	made, err := os.OpenFile(name+".part", os.O_RDWR|os.O_CREATE|os.O_EXCL, partMode)
	if err != nil {
		t.Fatal(err)
	}
	other, err := begin(name, func(*record) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	owned := make(chan error, 1)
	go func() {
		_, err := own(made, name)
		owned <- err
	}()
	io.WriteString(other, "whole")
	if _, err := other.commit(t.Context(), finish{}); err != nil {
		t.Fatal(err)
	}
	if err := <-owned; !errors.Is(err, errTaken) {
		t.Errorf("%v, want errTaken", err)
	}
}

// TestGraverError checks which failure of several connections is reported: a full disk first, then
// one after which the download may restart.
func TestGraverError(t *testing.T) {
	other, full, changed := errors.New("other"), fileError(errors.New("no space")), error(&fetchers.RestartError{Err: fetchers.ErrChanged})
	for _, c := range [][3]error{
		{nil, other, other}, {nil, changed, changed}, {other, full, full},
		{full, other, full}, {full, changed, full}, {changed, full, full},
		{changed, other, changed}, {other, changed, changed},
	} {
		if got := graver(c[0], c[1]); got != c[2] {
			t.Errorf("of %v and then %v it is %v, want %v", c[0], c[1], got, c[2])
		}
	}
}
