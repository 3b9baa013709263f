package sftp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// A Key is a key of the user for logins.
type Key struct {
	// Name is the name of its file, for questions and notes.
	Name string

	// Private is the private key, in the format of OpenSSH or another PEM format. It may be
	// encrypted. If nil, the agent has the private key.
	Private []byte

	// Public is the public key, in the format of a .pub file. It is required for a private key that
	// is encrypted in a format older than that of OpenSSH, and otherwise optional.
	Public []byte
}

// tries is how often the user is asked for a passphrase.
const tries = 3

// signer returns a signer with the key. An encrypted key is decrypted only after a server has
// accepted its public key.
func (k Key) signer(unlock func() (ssh.Signer, error)) (ssh.Signer, error) {
	s, err := ssh.ParsePrivateKey(k.Private)
	var locked *ssh.PassphraseMissingError
	if !errors.As(err, &locked) {
		return s, err
	}
	public := locked.PublicKey
	if public == nil {
		if public, _, _, _, err = ssh.ParseAuthorizedKey(k.Public); err != nil {
			return nil, fmt.Errorf("it is encrypted, and its public key is not known: %w", err)
		}
	}
	return &lockedSigner{public: public, unlock: sync.OnceValues(unlock)}, nil
}

// unlock asks for the passphrase.
func (k Key) unlock(ask func(text string) (string, error)) (s ssh.Signer, err error) {
	for range tries {
		passphrase, err := ask("passphrase of " + k.Name + ": ")
		if err != nil {
			return nil, err
		}
		if passphrase == "" {
			break
		}
		if s, err = ssh.ParsePrivateKeyWithPassphrase(k.Private, []byte(passphrase)); err == nil {
			return s, nil
		}
	}
	return nil, errors.New("no passphrase opens it")
}

// A lockedSigner is an encrypted key.
type lockedSigner struct {
	public ssh.PublicKey
	unlock func() (ssh.Signer, error)
}

func (s *lockedSigner) PublicKey() ssh.PublicKey { return s.public }

func (s *lockedSigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

func (s *lockedSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	open, err := s.unlock()
	if err != nil {
		return nil, err
	}
	if with, ok := open.(ssh.AlgorithmSigner); ok && algorithm != "" {
		return with.SignWithAlgorithm(rand, data, algorithm)
	}
	return open.Sign(rand, data)
}

// unlocked holds the decrypted keys, so that the user is asked once for each.
type unlocked struct {
	mu   sync.Mutex
	keys map[string]ssh.Signer // by their Private
}

func (u *unlocked) open(k Key, ask func(text string) (string, error)) (ssh.Signer, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.keys[string(k.Private)]; s != nil {
		return s, nil
	}
	s, err := k.unlock(ask)
	if err != nil {
		return nil, err
	}
	if u.keys == nil {
		u.keys = make(map[string]ssh.Signer)
	}
	u.keys[string(k.Private)] = s
	return s, nil
}

// signers returns the keys for a server: those of the agent, and then the others. The agent may
// wait for the user, or forever: it is used until release is called or ctx is done.
func (g *login) signers(ctx context.Context) (all []ssh.Signer, release func()) {
	var own []ssh.Signer
	var public []ssh.PublicKey // of all keys of the hop
	for _, k := range g.hop.keys {
		if k.Private == nil {
			key, _, _, _, err := ssh.ParseAuthorizedKey(k.Public)
			if err != nil {
				g.trace.Note(fmt.Sprintf("the key %s is left out: %v", k.Name, err))
				continue
			}
			public = append(public, key)
			continue
		}
		s, err := k.signer(func() (ssh.Signer, error) {
			s, err := g.f.unlocked.open(k, func(text string) (string, error) { return g.ask(Question{Text: text}) })
			if err != nil {
				g.locked = fmt.Errorf("the key %s is encrypted: %w", k.Name, err)
			}
			return s, err
		})
		if err != nil {
			g.trace.Note(fmt.Sprintf("the key %s is left out: %v", k.Name, err))
			continue
		}
		own, public = append(own, s), append(public, s.PublicKey())
	}
	release = func() {}
	if g.hop.agent == nil {
		return own, release
	}
	conn, err := g.hop.agent(ctx)
	if err != nil {
		g.trace.Note(fmt.Sprintf("the agent is left out: %v", err))
		return own, release
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	held, err := agent.NewClient(conn).Signers()
	if err != nil {
		g.trace.Note(fmt.Sprintf("the agent is left out: %v", err))
	}
	for _, s := range held {
		if !g.hop.only || holds(public, s.PublicKey()) {
			all = append(all, s)
		}
	}
	public = nil
	for _, s := range all {
		public = append(public, s.PublicKey())
	}
	for _, s := range own {
		if !holds(public, s.PublicKey()) {
			all = append(all, s)
		}
	}
	return all, func() {
		if stop() {
			conn.Close()
		}
	}
}

// holds reports whether k is one of the keys.
func holds(keys []ssh.PublicKey, k ssh.PublicKey) bool {
	for _, other := range keys {
		if bytes.Equal(other.Marshal(), k.Marshal()) {
			return true
		}
	}
	return false
}
