//go:build unix

package download_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

func TestPipeIsSparedToo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := download.CreateBeside(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.CommitBeside(); got != name+".1" || err != nil {
		t.Errorf("CommitBeside = %q, %v", got, err)
	}
}
