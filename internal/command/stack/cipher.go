package stack

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// asOpenSSL converts the name of a cipher in crypto/tls, without its prefix, to that in OpenSSL:
// ECDHE_RSA_WITH_AES_128_CBC_SHA to ECDHE-RSA-AES128-SHA.
var asOpenSSL = strings.NewReplacer(
	"_WITH_", "-", "AES_128", "AES128", "AES_256", "AES256", "_CBC", "", "3DES_EDE_CBC", "DES-CBC3", "RC4_128", "RC4",
	"CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305", "_", "-",
)

// ciphers returns the ciphers that crypto/tls has for TLS 1.2, by both of their names in lower
// case. It includes ciphers that crypto/tls does not offer by default: a user who names one wants
// it.
func ciphers() map[string]uint16 {
	ids := make(map[string]uint16)
	for _, c := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		if !slices.Contains(c.SupportedVersions, tls.VersionTLS12) {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(c.Name, "TLS_"), "RSA_WITH_")
		ids[strings.ToLower(c.Name)], ids[strings.ToLower(asOpenSSL.Replace(name))] = c.ID, c.ID
	}
	return ids
}

// parseCiphers returns the ciphers in the value of --ciphers, or nil for the usual ones.
func parseCiphers(text string) ([]uint16, error) {
	if text == "" {
		return nil, nil
	}
	for _, name := range names(text) {
		if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "!+@") || !strings.ContainsAny(name, "-_") {
			return nil, fmt.Errorf("--ciphers: %q is a class or a command of OpenSSL, and the ciphers in it are not known here: name them", url.Redact(name))
		}
		if strings.HasPrefix(strings.ToUpper(name), "TLS_AES_") || strings.EqualFold(name, "TLS_CHACHA20_POLY1305_SHA256") {
			return nil, fmt.Errorf("--ciphers: %s is of TLS 1.3, whose ciphers cannot be chosen: all of them are offered", name)
		}
	}
	found := known(names(text), ciphers())
	if found == nil {
		return nil, fmt.Errorf("--ciphers: crypto/tls has none of %s", url.Redact(text))
	}
	return found, nil
}

// curves are the key exchanges that crypto/tls has, by their names in lower case.
var curves = map[string]tls.CurveID{
	"x25519": tls.X25519,
	"p-256":  tls.CurveP256, "prime256v1": tls.CurveP256, "secp256r1": tls.CurveP256,
	"p-384": tls.CurveP384, "secp384r1": tls.CurveP384,
	"p-521": tls.CurveP521, "secp521r1": tls.CurveP521,
	"x25519mlkem768": tls.X25519MLKEM768, "secp256r1mlkem768": tls.SecP256r1MLKEM768, "secp384r1mlkem1024": tls.SecP384r1MLKEM1024,
}

// parseCurves returns the key exchanges in the value of --curves, or nil for the usual ones.
func parseCurves(text string) ([]tls.CurveID, error) {
	if text == "" {
		return nil, nil
	}
	found := known(names(text), curves)
	if found == nil {
		return nil, fmt.Errorf("--curves: crypto/tls has none of %s", url.Redact(text))
	}
	return found, nil
}

// names splits a list of names as OpenSSL does.
func names(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(":, ;", r) })
}

// known returns the elements of names that are in all. The others are left out, as by OpenSSL: a
// list may be for several libraries, each of which knows a part of it.
func known[ID comparable](names []string, all map[string]ID) (found []ID) {
	for _, name := range names {
		if id, ok := all[strings.ToLower(name)]; ok && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}
