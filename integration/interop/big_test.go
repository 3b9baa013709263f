//go:build linux

package interop

import (
	"crypto/sha256"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// maxMemory is the most that fetching one file may take, however large it is.
const maxMemory = 40 << 20

// A file of 1 GiB arrives as it is, and does not pass through memory.
func TestBigFile(t *testing.T) {
	command := filepath.Join(t.TempDir(), "fetch")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/seed1ea3422f/fetch/cmd/fetch").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"nginx", "vsftpd", "haproxy", "varnish"} {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			server := servers.Need(t, name)
			if _, err := os.Stat(filepath.Join(server.Root, "big.bin")); err != nil {
				t.Skip("big.bin is not there; make it with: go run ./integration/real up -big")
			}
			out := filepath.Join(t.TempDir(), "big")
			run := exec.Command(command, "-o", out, server.Tree+"/big.bin")
			if text, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if peak := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; peak > maxMemory {
				t.Errorf("it took %d bytes of memory, want at most %d", peak, maxMemory)
			}
			if got, want := sumOf(t, out), sumOf(t, filepath.Join(server.Root, "big.bin")); got != want {
				t.Errorf("what came has the sum %x, on disk it is %x", got, want)
			}
		})
	}
}

func sumOf(t *testing.T, name string) (sum [sha256.Size]byte) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
