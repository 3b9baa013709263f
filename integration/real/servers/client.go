package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Clients are the names of the programs of others that our own test servers are held
// against.
func Clients() []string { return []string{"gopher", "lynx"} }

// Client returns the command that "up" makes for a client, for a state directory.
func Client(dir, name string) string { return filepath.Join(dir, "clients", name) }

// NeedClient returns the command that runs a client: the one of "up", or else an
// installed one. If there is none the test is skipped, and says how to come by it;
// with FETCH_REAL=required it fails instead.
func NeedClient(t testing.TB, name string) string {
	t.Helper()
	command := Client(Dir(), name)
	if _, err := os.Stat(command); err == nil {
		return command
	}
	command, err := exec.LookPath(name)
	if err != nil {
		give := t.Skipf
		if os.Getenv("FETCH_REAL") == "required" {
			give = t.Fatalf
		}
		give("%v; come by it with: go run ./integration/real up %s", err, name)
	}
	return command
}
