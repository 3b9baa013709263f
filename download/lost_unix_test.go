//go:build unix

package download

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWhatIsLostStaysLost: the system says once that something is not on the disk, and that
// all is well when it is asked again. Pipes cannot be synchronised, and files can.
func TestWhatIsLostStaysLost(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	p, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file := p.File
	p.File = w
	p.journal = new(journal)
	p.record(nil, func() []span { return []span{{0, 1}} })(false)
	p.File = file
	if len(p.journal.Have) > 0 {
		t.Error("the journal says that it is there")
	}
	p.journal = nil
	if err := p.Commit(); err == nil {
		t.Error("it gets its name")
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Error(err)
	}
	if _, err := os.Stat(name + ".part"); !os.IsNotExist(err) {
		t.Error(err)
	}
}
