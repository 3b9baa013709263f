package sftp

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// KnownHosts holds the keys of servers, from files (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). The
// files are read once, for the first fetch. A nil KnownHosts has no keys.
type KnownHosts struct {
	read func() (*knownhosts.HostKeyDB, error)
}

// NewKnownHosts returns the known hosts in files. A missing file counts as empty.
func NewKnownHosts(files ...string) *KnownHosts {
	return &KnownHosts{sync.OnceValues(func() (*knownhosts.HostKeyDB, error) {
		var there []string
		for _, name := range files {
			if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				there = append(there, name)
			}
		}
		return knownhosts.NewDB(there...)
	})}
}

// Load reads the files, once. Every fetch returns their error before it connects.
func (k *KnownHosts) Load() error {
	if k == nil {
		return nil
	}
	_, err := k.read()
	return err
}

// newHost are the key algorithms for an unknown host, the best first, as in ssh. Dropbear 2022.83
// closes the connection at the default list of x/crypto/ssh with 22 algorithms.
var newHost = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// algorithms returns the algorithms of the known keys of a host and port. The server must not
// choose a key of another algorithm, unless anyKey is true.
func (k *KnownHosts) algorithms(host string, anyKey bool) ([]string, error) {
	if k == nil {
		return newHost, nil
	}
	db, err := k.read()
	if err != nil {
		return nil, err
	}
	of := db.HostKeyAlgorithms(host)
	if len(of) > 0 && !anyKey {
		return of, nil
	}
	for _, algorithm := range newHost {
		if !slices.Contains(of, algorithm) {
			of = append(of, algorithm)
		}
	}
	return of, nil
}

// check returns a *xknownhosts.KeyError unless the key of a host and port is known.
func (k *KnownHosts) check(host string, key ssh.PublicKey) error {
	if k == nil {
		return new(xknownhosts.KeyError)
	}
	db, err := k.read()
	if err != nil {
		return err
	}
	nowhere := &net.TCPAddr{IP: net.IPv4zero} // a key is checked by name only
	return db.HostKeyCallback()(host, nowhere, key)
}

// A HostKeyError means that the key of a server differs from the known one, or that no key is
// known. It is an ErrUntrusted.
type HostKeyError struct {
	Host        string // with its port unless that is 22
	Type        string // of the key, as "ssh-ed25519"
	Fingerprint string // of the key: "SHA256:…"
	Known       string // the known fingerprint with its file; "" if the host is unknown
	Revoked     bool   // the key must not be used
	Expected    string // the HostKey of the Fetcher if that differs; otherwise ""
}

// Changed reports whether the key of the server differs from the known one.
func (e *HostKeyError) Changed() bool { return e.Known != "" }

func (e *HostKeyError) Error() string {
	key := e.Type + " " + e.Fingerprint
	switch {
	case e.Revoked:
		return fmt.Sprintf("the key of %s is revoked: %s", e.Host, key)
	case e.Expected != "":
		return fmt.Sprintf("the key of %s is %s, and expected is %s", e.Host, key, e.Expected)
	case e.Changed():
		return fmt.Sprintf("the key of %s is not the one that is known, so this may be another server: it is %s, and known is %s", e.Host, key, e.Known)
	}
	return fmt.Sprintf("the key of %s is not known: %s", e.Host, key)
}

// Is reports whether target is ErrUntrusted, or its class.
func (e *HostKeyError) Is(target error) bool {
	return target == fetchers.ErrUntrusted || target == fetchers.ErrTLS
}

// name returns the host and port of h, without port 22.
func (h hop) name() string { return xknownhosts.Normalize(h.known) }

// met holds the accepted keys of new hosts.
type met struct {
	mu   sync.Mutex
	keys map[newcomer]ssh.PublicKey
}

// A newcomer is a host that a KnownHosts did not contain.
type newcomer struct {
	to   *KnownHosts
	host string
}

// trust returns an error unless the key of a host and port is known, or the host is new and
// accepted, or its key has changed and is accepted. In the last case doubtful is true.
func (f *Fetcher) trust(h hop, key ssh.PublicKey) (doubtful bool, err error) {
	err = f.check(h, key)
	var wrong *HostKeyError
	if h.acceptChanged == nil || !errors.As(err, &wrong) || !wrong.Changed() || wrong.Revoked {
		return false, err
	}
	return true, h.acceptChanged(wrong)
}

// check returns an error unless the key of a host and port is known, or the host is new and
// accepted.
func (f *Fetcher) check(h hop, key ssh.PublicKey) error {
	host := h.known
	e := &HostKeyError{Host: xknownhosts.Normalize(host), Type: key.Type(), Fingerprint: ssh.FingerprintSHA256(key)}
	expected := f.HostKey != "" && !h.jump
	if expected && e.Fingerprint != f.HostKey {
		e.Expected = f.HostKey
		return e
	}
	f.met.mu.Lock()
	defer f.met.mu.Unlock()
	if before := f.met.keys[newcomer{h.hosts, host}]; before != nil {
		if bytes.Equal(before.Marshal(), key.Marshal()) {
			return nil
		}
		e.Known = ssh.FingerprintSHA256(before) + " (accepted before)"
		return e
	}
	err := h.hosts.check(host, key)
	var wrong *xknownhosts.KeyError
	var revoked *xknownhosts.RevokedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &revoked):
		e.Revoked = true
		return e
	case !errors.As(err, &wrong):
		return err
	case len(wrong.Want) > 0:
		e.Known = known(wrong.Want)
		return e
	case !h.trusted:
		return e
	case expected:
		return nil
	case h.acceptNew == nil:
		return e
	}
	if err := h.acceptNew(e, xknownhosts.Line([]string{host}, key)); err != nil {
		return err
	}
	if f.met.keys == nil {
		f.met.keys = make(map[newcomer]ssh.PublicKey)
	}
	f.met.keys[newcomer{h.hosts, host}] = key
	return nil
}

// known formats the known keys of a host.
func known(keys []xknownhosts.KnownKey) string {
	var shown []string
	for _, k := range keys {
		shown = append(shown, fmt.Sprintf("%s (%s:%d)", ssh.FingerprintSHA256(k.Key), k.Filename, k.Line))
	}
	return strings.Join(shown, ", ")
}
