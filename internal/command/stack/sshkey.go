package stack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// usualKeys are the keys that are offered by default.
var usualKeys = []string{"id_ed25519", "id_ecdsa", "id_rsa"}

// addKeys gives the host the keys of --ssh-key, those of IdentityFile, or the usual ones.
func (c *sshSection) addKeys() error {
	u := c.u
	optional := len(u.options.Keys) == 0
	files := u.options.Keys
	if !optional {
		c.host.KeysOnly = true
	} else {
		configured := c.IdentityFiles()
		for _, file := range configured {
			if none(file) {
				continue
			}
			file, err := c.path("IdentityFile", file)
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		if len(configured) == 0 {
			for _, usual := range usualKeys {
				files = append(files, u.in(usual))
			}
		}
	}
	for _, file := range files {
		key, err := u.key(file)
		switch {
		case err == nil:
			c.host.Keys = append(c.host.Keys, key)
		case !optional:
			return err
		case !errors.Is(err, fs.ErrNotExist):
			u.streams.Remark("a key is left out: %v", err)
		}
	}
	return nil
}

// key reads a key, once. Without a private key the public one names a key of the agent
// (ssh_config(5), IdentityFile). An empty name stands for a file in a missing home directory.
func (u *sshUser) key(name string) (sftp.Key, error) {
	if name == "" {
		return sftp.Key{}, fs.ErrNotExist
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if k, ok := u.keys[name]; ok {
		return k, nil
	}
	k := sftp.Key{Name: option.Tilde(name)}
	private, err := readKey(name)
	public, missing := os.ReadFile(name + ".pub")
	switch {
	case isPublic(private):
		k.Public = private
	case errors.Is(err, fs.ErrNotExist) && missing == nil:
		k.Public = bytes.TrimSpace(public)
	case err != nil:
		return sftp.Key{}, err
	default:
		k.Private, k.Public = private, bytes.TrimSpace(public)
	}
	u.keys[name] = k
	return k, nil
}

// maxKey is how many bytes of a file with a key are read.
const maxKey = 64 << 10

// readKey reads the file of a key. Others must not be able to read a private one.
func readKey(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	key, err := io.ReadAll(io.LimitReader(file, maxKey))
	if err != nil || isPublic(key) {
		return key, err
	}
	return key, option.CheckPrivate(file, "is a private key")
}

// isPublic reports whether the text of a file is a public key.
func isPublic(text []byte) bool {
	return bytes.HasPrefix(text, []byte("ssh-")) || bytes.HasPrefix(text, []byte("ecdsa-")) || bytes.HasPrefix(text, []byte("sk-"))
}

// addAgent gives the host the agent of IdentityAgent, if it names one.
func (c *sshSection) addAgent() error {
	socket := c.First("IdentityAgent")
	variable, indirect := strings.CutPrefix(socket, "$")
	switch {
	case socket == "" || socket == "SSH_AUTH_SOCK":
		return nil // the agent of the user
	case none(socket):
		c.host.NoAgent = true
		return nil
	case indirect && !strings.HasPrefix(variable, "{"):
		socket = os.Getenv(variable)
	default:
		var err error
		if socket, err = c.path("IdentityAgent", socket); err != nil {
			return err
		}
	}
	if c.host.NoAgent = socket == ""; !c.host.NoAgent {
		c.host.Agent = agentAt(socket)
	}
	return nil
}

// agentAt returns the agent that listens at a socket.
func agentAt(socket string) func(context.Context) (io.ReadWriteCloser, error) {
	return func(ctx context.Context) (io.ReadWriteCloser, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
}
