package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"golang.org/x/crypto/ssh"
)

func TestMakeTree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the odd names are not possible here")
	}
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	root := servers.Root(t.TempDir())
	for range 2 { // the second time over existing files
		if err := makeTree(root, filepath.Join(module, "testdata", "tree"), false); err != nil {
			t.Fatal(err)
		}
	}
	hello, err := os.Stat(filepath.Join(root, "hello.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if hello.Size() != 27 || !hello.ModTime().Equal(servers.HelloTime) {
		t.Errorf("hello.txt: %d bytes of %v", hello.Size(), hello.ModTime())
	}
	for _, name := range []string{".", "deep/a/b/c", "deep/a/b/c/file.txt", "what?.txt", "semi;type=a", "empty.dat", "empty-dir"} {
		fi, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !fi.ModTime().Equal(servers.TreeTime) {
			t.Errorf("%s is of %v", name, fi.ModTime())
		}
	}
	var want bytes.Buffer
	if err := servers.Fill(&want, servers.Size5m); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "5m.bin")); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("5m.bin is not what Fill writes: %v", err)
	}
	for _, name := range []string{".gitattributes", "big.bin"} {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			t.Errorf("%s should not be there", name)
		}
	}
}

func TestCertificatesAreTrustedAndKept(t *testing.T) {
	dir := t.TempDir()
	var before []byte
	for range 2 {
		if err := makeCertificates(filepath.Join(dir, "tls")); err != nil {
			t.Fatal(err)
		}
		ca, err := os.ReadFile(servers.CAFile(dir))
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(ca, before) {
			t.Error("made again although it was good")
		}
		before = ca
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(before) {
		t.Fatal("ca.crt holds no certificate")
	}
	pem := filepath.Join(dir, "tls", "server.pem")
	pair, err := tls.LoadX509KeyPair(pem, pem)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestUserKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	var before []byte
	for range 2 {
		if err := makeUserKey(dir); err != nil {
			t.Fatal(err)
		}
		private, err := os.ReadFile(filepath.Join(dir, "user_key"))
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(private, before) {
			t.Error("made again although it was there")
		}
		before = private
	}
	public, err := os.ReadFile(filepath.Join(dir, "user_key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(before)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ssh.MarshalAuthorizedKey(signer.PublicKey()), public) {
		t.Errorf("%s is not of the same key", public)
	}
}
