package browser

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// serve builds the command and starts fetch serve, which ends with the test. It returns the URL of the
// gateway, without a slash at the end.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "fetch")
	build := exec.Command("go", "build", "-o", program, "./cmd/fetch")
	build.Dir = filepath.Join("..", "..") // the command has modules that this one has not
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, append([]string{"serve", "--no-config", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("fetch serve: %v", err)
		}
	})
	in := bufio.NewScanner(stderr)
	for in.Scan() {
		if _, rest, ok := strings.Cut(in.Text(), "answering at "); ok {
			address, _, _ := strings.Cut(rest, "/ ")
			return address
		}
		t.Log(in.Text())
	}
	t.Fatal("fetch serve does not say where it answers")
	return ""
}
