package ntlm_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
)

func TestNoUser(t *testing.T) {
	if m, err := (ntlm.Messages{}).Authenticate(nil, "", "s3cret"); err == nil {
		t.Errorf("%q", m)
	}
}

// The first message has nothing of the user or the machine: a signature, a type, flags, and no
// name.
func TestNegotiate(t *testing.T) {
	m, err := ntlm.Messages{}.Negotiate()
	if err != nil || len(m) != 40 || !bytes.HasPrefix(m, []byte("NTLMSSP\x00\x01\x00\x00\x00")) {
		t.Errorf("%q, %v", m, err)
	}
}

// Servers whose challenge is not quite one are answered: ntlm_fake_auth of Squid 5.7, whose name of
// the target is nowhere and which has no information about it, and a header of Windows NT 3.
func TestOddChallenges(t *testing.T) {
	for name, text := range map[string]string{
		"Squid":             "TlRMTVNTUAACAAAACQAJAK6qqqoBgoigeV7Y3Oj6Dx8AAAAAAAA6AFdPUktHUk9VUA==",
		"without a context": base64.StdEncoding.EncodeToString([]byte("NTLMSSP\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x82\x08\x00abcdefgh")),
	} {
		challenge, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ntlm.Messages{}.Authenticate(challenge, "joe", "s3cret")
		if err != nil || !bytes.HasPrefix(m, []byte("NTLMSSP\x00\x03\x00\x00\x00")) {
			t.Errorf("%s: %q, %v", name, m, err)
		}
	}
}

// A challenge is from a stranger. It never leads to a message with the password in it, in either
// width.
func FuzzChallenge(f *testing.F) {
	f.Add([]byte("NTLMSSP\x00\x02\x00\x00\x00\x08\x00\x08\x000\x00\x00\x00\x05\x82\x89\xa0abcdefgh\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x04\x008\x00\x00\x00C\x00O\x00R\x00P\x00\x00\x00\x00\x00"))
	f.Add([]byte("NTLMSSP\x00\x02\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, challenge []byte) {
		m, err := ntlm.Messages{}.Authenticate(challenge, `CORP\joe`, "s3cretest")
		if (m == nil) != (err != nil) {
			t.Errorf("%q, %v", m, err)
		}
		if bytes.Contains(challenge, []byte("s")) && bytes.Contains(challenge, []byte("3")) {
			return // which the message repeats
		}
		if bytes.Contains(m, []byte("s3cretest")) || bytes.Contains(m, []byte("s\x003\x00c\x00r\x00e\x00t\x00e")) {
			t.Errorf("%q", m)
		}
	})
}
