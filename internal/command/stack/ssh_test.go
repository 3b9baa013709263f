package stack

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// sshHost returns the settings of a configuration for the host h, and a client with the settings of
// the user. The home directory has files, by name and text.
func sshHost(t *testing.T, files map[string]string) (sftp.Host, *sftp.Fetcher, error) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, ".ssh", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client := new(sftp.Fetcher)
	setSSH(client, option.SSH{}, false, new(term.Streams))
	h, err := client.Host("h", "")
	return h, client, err
}

// dials reports whether an agent is at a socket.
func dials(t *testing.T, agent func(context.Context) (io.ReadWriteCloser, error), socket net.Listener) bool {
	t.Helper()
	if agent == nil {
		return false
	}
	conn, err := agent(t.Context())
	if err != nil {
		return false
	}
	defer conn.Close()
	served, err := socket.Accept()
	if err != nil {
		t.Fatal(err)
	}
	served.Close()
	return true
}

func TestIdentityAgent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent of Windows is no socket")
	}
	dir, err := os.MkdirTemp("", "agent") // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listen := func(name string) net.Listener {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	usual, other := listen("usual"), listen("other")
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(dir, "usual"))
	t.Setenv("OTHER", filepath.Join(dir, "other"))
	t.Setenv("DIR", dir)
	for value, want := range map[string]string{
		"":              "usual",
		"SSH_AUTH_SOCK": "usual",
		"none":          "none",
		"$OTHER":        "other",
		"$NO_SUCH":      "none",
		"${DIR}/other":  "other",
		dir + "/other":  "other",
	} {
		t.Run(value, func(t *testing.T) {
			config := ""
			if value != "" {
				config = "IdentityAgent " + value + "\n"
			}
			h, client, err := sshHost(t, map[string]string{"config": config})
			if err != nil {
				t.Fatal(err)
			}
			switch want {
			case "usual":
				if h.Agent != nil || h.NoAgent || !dials(t, client.Agent, usual) {
					t.Error("the agent is not that of the environment")
				}
			case "other":
				if !dials(t, h.Agent, other) {
					t.Error("the agent is not the other one")
				}
			case "none":
				if h.Agent != nil || !h.NoAgent {
					t.Error("there is an agent")
				}
			}
		})
	}
}

func TestIdentityFiles(t *testing.T) {
	const public = "ssh-ed25519 AAAA joe@h"
	files := map[string]string{"id_rsa": "usual", "one": "private one", "one.pub": public + " 1", "two.pub": public + " 2"}
	for name, c := range map[string]struct {
		config string
		want   string
	}{
		"the usual ones":               {"", "usual|"},
		"only the usual ones":          {"IdentitiesOnly yes", "only usual|"},
		"none":                         {"IdentityFile none", ""},
		"two, one of which is missing": {"IdentityFile ~/.ssh/one\nIdentityFile %d/.ssh/three", "private one|" + public + " 1"},
		"one whose private part is with the agent": {"IdentitiesOnly yes\nIdentityFile ~/.ssh/two", "only |" + public + " 2"},
		"a public key": {"IdentityFile ~/.ssh/two.pub", "|" + public + " 2"},
	} {
		t.Run(name, func(t *testing.T) {
			files["config"] = c.config + "\n"
			h, _, err := sshHost(t, files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range h.Keys {
				got = append(got, string(k.Private)+"|"+string(k.Public))
			}
			text := strings.Join(got, " ")
			if h.KeysOnly {
				text = "only " + text
			}
			if text != c.want {
				t.Errorf("%q, want %q", text, c.want)
			}
		})
	}
}
