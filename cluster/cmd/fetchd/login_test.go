package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/seed1ea3422f/fetch/record"
)

// processVariable has the test be fetchd, so that it can be several processes.
const processVariable = "FETCHD_TEST_PROCESS"

// process returns fetchd as a process.
func process(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), processVariable+"=1")
	return cmd
}

// exited runs fetchd as a process until it ends.
func exited(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	cmd := process(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// started runs fetchd as a process until the test ends, and returns the first line that it says with a text.
func started(t *testing.T, text string, args ...string) string {
	t.Helper()
	cmd := process(args...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	if text == "" {
		return ""
	}
	var said []string
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		if strings.Contains(lines.Text(), text) {
			return lines.Text()
		}
		said = append(said, lines.Text())
	}
	t.Fatalf("fetchd %s said %q", args[0], said)
	return ""
}

// write writes a file for a test, and returns its name.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// certified returns files with a certificate of 127.0.0.1, which is its own authority, and its key.
func certified(t *testing.T) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fetchd of a test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		write(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

// newKey returns a key of NATS: its public form and its seed.
func newKey(t *testing.T, make func() (nkeys.KeyPair, error)) (pair nkeys.KeyPair, public string, seed []byte) {
	t.Helper()
	pair, err := make()
	if err != nil {
		t.Fatal(err)
	}
	public, err = pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	if seed, err = pair.Seed(); err != nil {
		t.Fatal(err)
	}
	return pair, public, seed
}

// listIsFetched adds a list, fetches it and reads its records, each with a process that logs in.
func listIsFetched(t *testing.T, login ...string) {
	t.Helper()
	web := site(t)
	status, _, errs := exited(t, append([]string{"add", web + "/page.html", web + "/gone"}, login...)...)
	if status != 0 {
		t.Fatalf("add: %d: %s", status, errs)
	}
	started(t, "", append([]string{"work", "--sink", t.TempDir(), "--state", t.TempDir(), "--flush", "0.05"}, login...)...)
	if status, _, errs := exited(t, append([]string{"status", "-w", "--json"}, login...)...); status != 0 {
		t.Fatalf("status: %d: %s", status, errs)
	}
	status, out, errs := exited(t, append([]string{"records", "--final"}, login...)...)
	if status != 0 || strings.Count(out, "\n") != 2 || !strings.Contains(out, "/page.html") {
		t.Errorf("records: %d: %s%s", status, out, errs)
	}
}

// refused runs a verb with a login that the server does not take. The error says so, and has no secret.
func refused(t *testing.T, says string, login ...string) {
	t.Helper()
	status, out, errs := exited(t, append([]string{"status"}, login...)...)
	if status == 0 || status == record.ExitUsage || out != "" || !strings.HasPrefix(errs, "fetchd: ") || !strings.Contains(errs, says) || strings.Count(errs, "\n") != 1 {
		t.Errorf("%q: %d: %s%s", login, status, out, errs)
	}
	for _, secret := range []string{"SUA", "SUB", "PRIVATE", "eyJ"} {
		if strings.Contains(errs, secret) {
			t.Errorf("%q: %s", login, errs)
		}
	}
}

// A server that fetchd runs, with TLS and keys of users.
func TestLoginByKey(t *testing.T) {
	cert, key := certified(t)
	_, public, seed := newKey(t, nkeys.CreateUser)
	_, _, otherSeed := newKey(t, nkeys.CreateUser)
	user, other := write(t, "user.nk", seed), write(t, "other.nk", otherSeed)
	line := started(t, "the server is at", "up", "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key, "--nkey-user", public)
	_, address, _ := strings.Cut(line, "://")
	at := "tls://" + address
	listIsFetched(t, "--nats", at, "--tls-ca", cert, "--nkey", user)

	strange, _ := certified(t)
	refused(t, "Authorization Violation", "--nats", at, "--tls-ca", cert, "--nkey", other)
	refused(t, "Authorization Violation", "--nats", at, "--tls-ca", cert)
	refused(t, "certificate", "--nats", at, "--tls-ca", strange, "--nkey", user)
	refused(t, "certificate", "--nats", "nats://"+address, "--nkey", user)
	refused(t, "no", "--nats", at, "--tls-ca", cert, "--nkey", cert)
}

func TestUpRefusesAKeyThatIsNone(t *testing.T) {
	_, _, seed := newKey(t, nkeys.CreateUser)
	status, _, errs := exited(t, "up", "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--nkey-user", "UNKNOWN")
	if status == 0 || !strings.Contains(errs, "not the public NATS key") {
		t.Errorf("%d: %s", status, errs)
	}
	status, _, errs = exited(t, "up", "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--nkey-user", string(seed))
	if status == 0 || strings.Contains(errs, string(seed)) {
		t.Errorf("%d: %s", status, errs)
	}
}

// A server of others, with TLS and credentials of users.
func TestLoginByCredentials(t *testing.T) {
	cert, key := certified(t)
	operator, operatorKey, _ := newKey(t, nkeys.CreateOperator)
	account, accountKey, _ := newKey(t, nkeys.CreateAccount)
	_, systemKey, _ := newKey(t, nkeys.CreateAccount)
	resolver := new(natsserver.MemAccResolver)
	for _, public := range []string{accountKey, systemKey} {
		claims := jwt.NewAccountClaims(public)
		if public == accountKey {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		text, err := claims.Encode(operator)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolver.Store(public, text); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s, err := natsserver.NewServer(&natsserver.Options{
		Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, TrustedKeys: []string{operatorKey}, AccountResolver: resolver, SystemAccount: systemKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not become ready")
	}
	at := "tls://" + s.Addr().String()
	credentials := func(by nkeys.KeyPair) string {
		_, public, seed := newKey(t, nkeys.CreateUser)
		text, err := jwt.NewUserClaims(public).Encode(by)
		if err != nil {
			t.Fatal(err)
		}
		file, err := jwt.FormatUserConfig(text, seed)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, "user.creds", file)
	}
	listIsFetched(t, "--nats", at, "--tls-ca", cert, "--creds", credentials(account))

	unknown, _, _ := newKey(t, nkeys.CreateAccount)
	refused(t, "Authorization Violation", "--nats", at, "--tls-ca", cert, "--creds", credentials(unknown))
	refused(t, "Authorization Violation", "--nats", at, "--tls-ca", cert)
	refused(t, "", "--nats", at, "--tls-ca", cert, "--creds", cert)
}
