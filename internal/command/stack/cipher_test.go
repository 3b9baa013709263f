package stack

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// Versions, ciphers and key exchanges are those of the flags, on the wire.
func TestOffers(t *testing.T) {
	signed := newAuthority(t, "root", nil).leaf(t)
	server := secureServer(t, &tls.Config{Certificates: []tls.Certificate{signed}}, hello)
	for _, c := range []struct{ args, want string }{
		{"--tls-max 1.2", "TLS 1.2 TLS_ECDHE_ECDSA_WITH_"},
		{"--tls-max 1.3", "TLS 1.3 "},
		{"--tls-max default --tlsv1.3", "TLS 1.3 "},
		{"--tls-max 1.2 --ciphers ECDHE-ECDSA-AES256-GCM-SHA384", "TLS 1.2 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 "},
		{"--tls-max 1.2 --ciphers DHE-RSA-AES128-SHA:ecdhe-ecdsa-chacha20-poly1305", "TLS 1.2 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 "},
		{"--tls-max 1.2 --ciphers TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS 1.2 TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA "},
		{"--ciphers ECDHE-ECDSA-AES256-GCM-SHA384", "TLS 1.3 "},
		{"--curves P-384", " CurveP384"},
		{"--curves secp521r1,brainpoolP512r1", " CurveP521"},
		{"--curves X25519MLKEM768", " X25519MLKEM768"},
	} {
		got, err := body(t, server.URL, append([]string{"-k"}, strings.Fields(c.args)...)...)
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.args, got, err, c.want)
		}
	}
	_, err := body(t, server.URL, "-k", "--tls-max", "1.2", "--ciphers", "AES128-SHA")
	if _, status := record.Classify(err); status != record.ExitTLS {
		t.Errorf("a cipher that the server does not have: %v", err)
	}
}

// Every cipher of TLS 1.2 has the name that OpenSSL gives it.
func TestCipherNames(t *testing.T) {
	for _, name := range strings.Fields(`
		AES128-SHA AES256-SHA AES128-SHA256 AES128-GCM-SHA256 AES256-GCM-SHA384 DES-CBC3-SHA RC4-SHA
		ECDHE-ECDSA-AES128-SHA ECDHE-ECDSA-AES256-SHA ECDHE-RSA-AES128-SHA ECDHE-RSA-AES256-SHA
		ECDHE-ECDSA-AES128-SHA256 ECDHE-RSA-AES128-SHA256 ECDHE-RSA-DES-CBC3-SHA ECDHE-RSA-RC4-SHA ECDHE-ECDSA-RC4-SHA
		ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-RSA-AES128-GCM-SHA256 ECDHE-RSA-AES256-GCM-SHA384
		ECDHE-RSA-CHACHA20-POLY1305 ECDHE-ECDSA-CHACHA20-POLY1305`) {
		if _, err := parseCiphers(name); err != nil {
			t.Error(err)
		}
	}
	if n := len(ciphers()); n != 2*22 {
		t.Errorf("crypto/tls has %d names of ciphers, and 44 are known here", n)
	}
}

// An offer that cannot be made is an error of the command line, with its reason.
func TestOffersThatCannotBeMade(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--tls-max 1.1", "RFC 8996"},
		{"--tls-max 1.4", "wants 1.2, 1.3 or default"},
		{"--tls-max 1.2 --tlsv1.3", "leave no version"},
		{"--ciphers HIGH:!aNULL", `"HIGH" is a class or a command of OpenSSL`},
		{"--ciphers ECDHE-RSA-AES128-SHA:-RC4-SHA", `"-RC4-SHA" is a class or a command`},
		{"--ciphers ECDHE+AESGCM", "is a class or a command"},
		{"--ciphers TLS_AES_128_GCM_SHA256", "is of TLS 1.3"},
		{"--ciphers DHE-RSA-AES128-SHA", "crypto/tls has none of DHE-RSA-AES128-SHA"},
		{"--ciphers :", "crypto/tls has none of"},
		{"--curves X448", "crypto/tls has none of X448"},
	} {
		_, err := Build(t.Context(), options(t, strings.Fields(c.args)...), silent())
		if _, usage := errors.AsType[record.UsageError](err); !usage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
