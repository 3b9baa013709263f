package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// makeUserKey writes the key by which our user logs in over SSH, user_key and user_key.pub, if it
// is not there. A container is given it, so that a test has the one of the server that is up.
func makeUserKey(dir string) error {
	public := filepath.Join(dir, "user_key.pub") // the last one that is written
	if _, err := os.Stat(public); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := writeFile(filepath.Join(dir, "user_key"), private, 0o600); err != nil {
		return err
	}
	return writeFile(public, []byte(authorized(pub)+"\n"), 0o644)
}

// authorized returns the key as a line of authorized_keys (RFC 8709, section 4).
func authorized(key ed25519.PublicKey) string {
	const algorithm = "ssh-ed25519"
	var b []byte
	for _, field := range []string{algorithm, string(key)} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(field)))
		b = append(b, field...)
	}
	return algorithm + " " + base64.StdEncoding.EncodeToString(b)
}
