//go:build linux

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/internal/pty"
)

// telnets are the servers of interactive services, the last of which is ours.
var telnets = []string{"telnetd", "telnettest"}

// eachTelnet builds the command, and runs a test with it for each of the telnets.
func eachTelnet(t *testing.T, test func(t *testing.T, command string, server servers.Instance)) {
	command := filepath.Join(t.TempDir(), "fetch")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/seed1ea3422f/fetch/cmd/fetch").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range telnets {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			if name != "telnettest" {
				test(t, command, servers.Need(t, name))
				return
			}
			server := telnettest.NewServer(telnettest.Offer(telnettest.Inetutils...), telnettest.User(servers.User, servers.Password))
			t.Cleanup(server.Close)
			test(t, command, servers.Instance{Name: name, URL: server.URL, Addr: server.Addr, User: servers.User, Password: servers.Password})
		})
	}
}

// The first text of a service is its prompt.
func TestTelnetBanner(t *testing.T) {
	eachTelnet(t, func(t *testing.T, command string, server servers.Instance) {
		for _, args := range [][]string{{"--banner"}, {"--banner=5"}} {
			out, err := exec.Command(command, append(args, server.URL)...).Output()
			if whole := strings.HasSuffix(string(out), "login: "); err != nil || whole != (args[0] == "--banner") || !whole && len(out) != 5 {
				t.Errorf("%q: %q, %v", args, out, err)
			}
		}
		if out, err := exec.Command(command, server.URL).CombinedOutput(); err == nil || err.(*exec.ExitError).ExitCode() != 4 || !strings.Contains(string(out), "fetch --connect "+server.URL) {
			t.Errorf("without --banner: %q, %v, want exit status 4 and the hint", out, err)
		}
	})
}

// A user logs in, runs a command, sees its output, and logs out.
func TestTelnetSession(t *testing.T) {
	eachTelnet(t, func(t *testing.T, command string, server servers.Instance) {
		cmd := exec.Command(command, "--connect", "telnet://"+server.User+"@"+server.Addr+"/")
		cmd.Env = append(os.Environ(), "TERM=xterm")
		term := pty.Start(t, cmd, 101, 31)
		before := term.First()
		term.Await("login: ")
		term.Type(server.User + "\r")
		term.Await("Password: ")
		term.Type("wrong\r")
		term.Await("Login incorrect")
		term.Await("login: ")
		term.Type(server.User + "\r")
		term.Await("Password: ")
		term.Type(server.Password + "\r")
		term.Await("$ ")
		term.Type("echo two  words\r")
		term.Await("echo two  words\r\ntwo")
		term.Await("$ ")
		if server.Name == "telnetd" {
			term.Type("echo $TERM; stty size; id -un\r")
			term.Await("\r\nxterm\r\n31 101\r\n" + server.User + "\r\n$ ")
			term.Resize(90, 20)
			term.Type("sleep 1; stty size\r")
			term.Await("\r\n20 90\r\n$ ")
			term.Type("printf 'caf\\351 \\377\\377|\\r|\\n'\r")
			term.Await("\ncaf\xe9 \xff\xff|\r|\r\n$ ")
			term.Type("cat\r")
			term.Await("cat\r\n")
			term.Type("\x03")
			term.Await("^C\r\n$ ")
		}
		term.Type("\x1d")
		if status := term.Wait(); status != 0 {
			t.Errorf("exit status %d", status)
		}
		if term.State() != before {
			t.Error("the terminal is not as it was")
		}
		if strings.Contains(term.Screen(), server.Password) {
			t.Error("the password was shown")
		}
	})
}
