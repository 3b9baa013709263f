package stack

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	nethttp "net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/record"
)

func pinOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return hashed + base64.StdEncoding.EncodeToString(sum[:])
}

// wantPinned checks for the error of a server with another key.
func wantPinned(t *testing.T, about string, err error) {
	t.Helper()
	class, status := record.Classify(err)
	if !errors.Is(err, fetchers.ErrTLS) || class != record.ClassTLS || status != 90 {
		t.Errorf("%s: status %d, class %s: %v", about, status, class, err)
	}
}

// A server has to have the pinned key, in each of its forms, also with -k, and every server that
// a redirection leads to.
func TestPinnedKeys(t *testing.T) {
	ca := newAuthority(t, "root", nil)
	mine, other := ca.leaf(t), ca.leaf(t)
	elsewhere := secureServer(t, &tls.Config{Certificates: []tls.Certificate{other}}, hello)
	asked := 0
	server := secureServer(t, &tls.Config{Certificates: []tls.Certificate{mine}}, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked++
		switch r.URL.Path {
		case "/here":
			nethttp.Redirect(w, r, "/", nethttp.StatusFound)
		case "/elsewhere":
			nethttp.Redirect(w, r, elsewhere.URL, nethttp.StatusFound)
		}
	})
	trust := []string{"--cacert", ca.file(t)}
	der, err := x509.MarshalPKIXPublicKey(mine.Leaf.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for about, value := range map[string]string{
		"a hash":        pinOf(mine.Leaf),
		"two hashes":    pinOf(ca.cert) + ";" + pinOf(mine.Leaf),
		"a final ;":     pinOf(mine.Leaf) + ";",
		"a file of DER": write(t, "key.der", string(der)),
		"a file of PEM": write(t, "key.pem", inPEM("PUBLIC KEY", der)),
	} {
		for _, url := range []string{server.URL, server.URL + "/here"} {
			if _, err := body(t, url, append(trust, "--pinnedpubkey", value)...); err != nil {
				t.Errorf("%s: %s: %v", about, url, err)
			}
		}
		_, err := body(t, server.URL+"/elsewhere", append(trust, "--pinnedpubkey", value)...)
		wantPinned(t, about, err)
	}
	asked = 0
	_, err = body(t, server.URL, append(trust, "--pinnedpubkey", pinOf(other.Leaf))...)
	wantPinned(t, "another key", err)
	if !strings.Contains(err.Error(), "the server has the key "+pinOf(mine.Leaf)) {
		t.Errorf("the key of the server is not in %q", err)
	}
	_, err = body(t, server.URL, "-k", "--pinnedpubkey", pinOf(other.Leaf))
	wantPinned(t, "another key and -k", err)
	_, err = body(t, server.URL, append(trust, "--pinnedpubkey", pinOf(ca.cert))...)
	wantPinned(t, "the key of the authority", err)
	if asked != 0 {
		t.Error("a server with another key is sent a request")
	}
	_, err = body(t, server.URL, "--pinnedpubkey", pinOf(mine.Leaf))
	if _, status := record.Classify(err); status != record.ExitUntrusted {
		t.Errorf("the pinned key of a certificate that is not trusted: %v", err)
	}
}

// The key is pinned in the section of one origin only, and for connections of FTP too.
func TestPinnedKeyOfAnOrigin(t *testing.T) {
	ca := newAuthority(t, "root", nil)
	first := secureServer(t, &tls.Config{Certificates: []tls.Certificate{ca.leaf(t)}}, hello)
	second := secureServer(t, &tls.Config{Certificates: []tls.Certificate{ca.leaf(t)}}, hello)
	config := write(t, "config.toml", "cacert = '"+ca.file(t)+"'\n['"+first.URL+"']\npinnedpubkey = '"+pinOf(ca.cert)+"'\n")
	_, err := body(t, first.URL, "--config", config)
	wantPinned(t, "the origin", err)
	if _, err := body(t, second.URL, "--config", config); err != nil {
		t.Errorf("another origin: %v", err)
	}
	ftp := ftptest.NewServer(fstest.MapFS{"a": {}}, ftptest.StartTLS())
	t.Cleanup(ftp.Close)
	_, err = body(t, ftp.URL+"/", "-k", "--ssl-reqd", "--pinnedpubkey", pinOf(ca.cert))
	wantPinned(t, "FTP", err)
}

// A pin that cannot be read is an error of the command line, or of the file.
func TestPinsThatCannotBeRead(t *testing.T) {
	const good = "sha256//v055hxzcQ/Zr/Zjt7RHoOUMvawpR5tQ7N1NX2nx2ZcU="
	for _, value := range []string{hashed, hashed + "AAAA", good + ";sha1//AAAA", good[:len(good)-1], good + ";;" + good} {
		_, err := Build(t.Context(), options(t, "--pinnedpubkey", value), silent())
		if _, usage := errors.AsType[record.UsageError](err); !usage || !strings.HasPrefix(err.Error(), "--pinnedpubkey wants sha256//BASE64") {
			t.Errorf("%s: %v", value, err)
		}
	}
	for _, file := range []string{"no/such/file", write(t, "key", "nothing"), write(t, "key", inPEM("PUBLIC KEY", []byte("x")))} {
		_, err := Build(t.Context(), options(t, "--pinnedpubkey", file), silent())
		if _, status := record.Classify(err); status != record.ExitInput {
			t.Errorf("%s: %v", file, err)
		}
	}
}
