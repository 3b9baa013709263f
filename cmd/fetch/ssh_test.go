package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

// sshServers starts the SSH servers of the scripts, and returns the variables by which scripts know
// them. $SFTP admits every user, $SFTPLOGIN the user "user" with the password s3cret, and $SFTPKEY
// users with key.pem, or with locked.pem, whose passphrase is s3cret. $SFTPCUT breaks off each file
// once. $SFTP forwards connections to the others. known_hosts has all of them but $SFTPNEW;
// $SFTPPRINT is the fingerprint of $SFTPNEW. $SFTPPORT and the like are ports.
func sshServers(t *testing.T) func(env *testscript.Env) error {
	key, line := newKey(t, "")
	locked, lockedLine := newKey(t, "s3cret")
	start := func(opts ...sftptest.Option) *sftptest.Server {
		server := sftptest.NewServer(ftpFiles(), opts...)
		t.Cleanup(server.Close)
		return server
	}
	open := start(sftptest.Home("pub"), sftptest.Jump(), sftptest.Banner("Welcome to \x1b]0;PWN\x07\n"))
	login := start(sftptest.User("user", "s3cret"))
	byKey := start(sftptest.AuthorizedKey(line), sftptest.AuthorizedKey(lockedLine))
	cut := start(sftptest.Faults(sftptest.Fault{After: 40_000, Do: sftptest.Cut, Once: true}))
	unknown := start()
	known := open.KnownHosts() + login.KnownHosts() + byKey.KnownHosts() + cut.KnownHosts()
	return func(env *testscript.Env) error {
		env.Setenv("SFTP", open.URL)
		env.Setenv("SFTPHOST", open.Addr)
		env.Setenv("SFTPLOGIN", login.URL)
		env.Setenv("SFTPKEY", byKey.URL)
		for name, server := range map[string]*sftptest.Server{"SFTPPORT": open, "SFTPLOGINPORT": login, "SFTPKEYPORT": byKey, "SFTPNEWPORT": unknown} {
			env.Setenv(name, server.Addr[strings.LastIndex(server.Addr, ":")+1:])
		}
		env.Setenv("SFTPCUT", cut.URL)
		env.Setenv("SFTPNEW", unknown.URL)
		env.Setenv("SFTPPRINT", unknown.Fingerprint())
		write := func(name string, text []byte) error {
			return os.WriteFile(filepath.Join(env.WorkDir, name), text, 0o600)
		}
		return errors.Join(write("known_hosts", []byte(known)), write("key.pem", key), write("locked.pem", locked),
			write("wrong_hosts", otherKey(unknown)), write("wrong_login", otherKey(login)))
	}
}

// otherKey returns the line of known_hosts for a server, with a key that the server does not have.
func otherKey(server *sftptest.Server) []byte {
	line := server.KnownHosts()
	return []byte(line[:len(line)-len("AAAA\n")] + "AAAA\n")
}

// newKey returns a private key, encrypted if there is a passphrase, and the line of its public key.
func newKey(t *testing.T, passphrase string) (private []byte, line string) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block), string(ssh.MarshalAuthorizedKey(shown))
}
