package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Clients are the names of the programs of others that our own test servers are held
// against.
func Clients() []string { return []string{"gopher", "lynx", "bombadillo"} }

// Client returns the command that "up" makes for a client, for a state directory.
func Client(dir, name string) string { return filepath.Join(dir, "clients", name) }

// NeedClient returns the command that runs a client: the one of "up", or else an
// installed one. FETCH_REAL works as for [Need].
func NeedClient(t testing.TB, name string) string {
	t.Helper()
	missing := allowed(t, "client "+name)
	command := Client(Dir(), name)
	if _, err := os.Stat(command); err == nil {
		return command
	}
	command, err := exec.LookPath(name)
	if err != nil {
		missing("%v; come by it with: go run ./integration/real up %s", err, name)
	}
	return command
}
