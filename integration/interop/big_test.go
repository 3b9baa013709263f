//go:build linux

package interop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
			var text bytes.Buffer
			run := exec.Command(command, "-o", out, server.Tree+"/big.bin")
			run.Stdout, run.Stderr = &text, &text
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			peak := make(chan int64)
			go func() { peak <- peakOf(run.Process.Pid) }()
			if err := run.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, &text)
			}
			if most := <-peak; most > maxMemory || most == 0 {
				t.Errorf("it took %d bytes of memory, want at most %d", most, maxMemory)
			}
			if got, want := sumOf(t, out), sumOf(t, filepath.Join(server.Root, "big.bin")); got != want {
				t.Errorf("what came has the sum %x, on disk it is %x", got, want)
			}
		})
	}
}

// peakOf follows a process to its end, and returns the most memory that it has had. The kernel's
// ru_maxrss cannot be used: a process begins with that of the one that starts it, this test.
func peakOf(pid int) (peak int64) {
	name := fmt.Sprintf("/proc/%d/status", pid)
	for ; ; time.Sleep(5 * time.Millisecond) {
		status, err := os.ReadFile(name)
		_, after, ok := strings.Cut(string(status), "VmHWM:")
		if err != nil || !ok {
			return peak
		}
		var kilobytes int64
		fmt.Sscan(after, &kilobytes)
		peak = max(peak, kilobytes<<10)
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
