package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOutside: examples/harness and examples/clienttests can be modules of another project, which
// require this module only.
func TestOutside(t *testing.T) {
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range []string{"harness", "clienttests"} {
		t.Run(example, func(t *testing.T) { outside(t, here, filepath.Join(here, "examples", example)) })
	}
}

// outside runs the tests of an example as a module of its own.
func outside(t *testing.T, here, example string) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	gomod := "module example.com/client\n\ngo 1.26\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + here + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(gomod), 0o666); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(here, "go.sum")) // all are known, and no server of sums is asked
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666); err != nil {
		t.Fatal(err)
	}
	test := exec.Command("go", "test", "-timeout=60s", "./...")
	test.Dir = dir
	test.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}
