package apdu_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/internal/apdu"
)

// captures returns the conversations of real programs, by name.
func captures(t testing.TB) map[string][]waistest.Captured {
	t.Helper()
	files, err := filepath.Glob("../../testdata/captures/wais/*.hex*")
	if err != nil || len(files) != 40 {
		t.Fatalf("%d captures (%v), want 40", len(files), err)
	}
	all := make(map[string][]waistest.Captured)
	for _, file := range files {
		messages, err := waistest.ReadCapture(file)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		all[name] = messages
	}
	return all
}

// strange lists the captured messages that this package does not accept, by capture and number:
// they were sent to test a server.
var strange = map[string]string{
	"encoding-h 0":      "a length of", // in a printable coding
	"encoding-h 1":      "a front part of",
	"protocol-errors 2": "APDU 24",
	"protocol-errors 4": "element 77",
}

// Every captured message, of either side, is decoded and encoded again to the same bytes.
func TestCapturesAreOurWords(t *testing.T) {
	count := 0
	for name, messages := range captures(t) {
		for i, m := range messages {
			count++
			h, body, err := apdu.Read(bytes.NewReader(m.Octets), nil, 1<<20)
			if err != nil {
				t.Fatalf("%s %d: %v", name, i, err)
			}
			if h.Length != len(m.Octets)-apdu.HeaderSize {
				t.Errorf("%s %d: a length of %d", name, i, h.Length)
			}
			if again := h.Append(nil, body); !bytes.Equal(again, m.Octets) {
				t.Errorf("%s %d: the header is written as %q", name, i, again[:apdu.HeaderSize])
			}
			if len(body) == 0 {
				continue // "cannot answer"
			}
			again, err := rewrite(m.Client, body)
			if words, is := strange[fmt.Sprint(name, " ", i)]; is {
				if !errors.Is(err, apdu.ErrMalformed) || h.Encoding == ' ' && !strings.Contains(err.Error(), words) {
					t.Errorf("%s %d: error %v, want %q", name, i, err, words)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s %d: %v", name, i, err)
			} else if !bytes.Equal(again, body) {
				t.Errorf("%s %d:\n%q\nis written as\n%q", name, i, body, again)
			}
		}
	}
	t.Logf("%d messages", count)
}

// rewrite decodes an APDU and encodes it.
func rewrite(client bool, body []byte) ([]byte, error) {
	kind, err := apdu.Kind(body)
	if err != nil {
		return nil, err
	}
	switch {
	case client && kind == apdu.InitPDU:
		m, err := apdu.ParseInit(body)
		if err != nil {
			return nil, err
		}
		return m.Append(nil), nil
	case client:
		m, err := apdu.ParseSearch(body)
		if err != nil {
			return nil, err
		}
		return m.Append(nil), nil
	case kind == apdu.InitResponsePDU:
		m, err := apdu.ParseInitResponse(body)
		if err != nil {
			return nil, err
		}
		return m.Append(nil), nil
	}
	m, err := apdu.ParseResponse(body)
	if err != nil {
		return nil, err
	}
	return m.Append(nil), nil
}

// The same inputs give the recorded requests: the encoder is tested independently of the decoder.
func TestRequestsAreTheRecordedOnes(t *testing.T) {
	docID := "\x01\x15wais.example.com:8210\x02\x0f/wais/db/garden\x03\x190 118 /wais/docs/bees.txt" +
		"\x04\x15wais.example.com:8210\x05\x0f/wais/db/garden\x06\x190 118 /wais/docs/bees.txt\x07\x01\x00"
	recorded := captures(t)["conversation"]
	for i, m := range []interface{ Append([]byte) []byte }{
		&apdu.Init{
			Options: apdu.OptionSearch, PreferredMessageSize: 100000, MaximumRecordSize: 100000,
			ImplementationID: "GET", ImplementationName: "wais test client", ImplementationVersion: "1",
		},
		&apdu.Search{Database: "garden", Words: &apdu.Words{SeedWords: "honey", DateFactor: 1, MaxDocuments: 5}},
		&apdu.Search{Database: "garden", ReferenceID: "3", Retrieve: &apdu.Retrieve{DocumentID: docID, Type: "TEXT", End: 118}},
	} {
		if got, want := apdu.Plain.Append(nil, m.Append(nil)), recorded[2*i].Octets; !bytes.Equal(got, want) {
			t.Errorf("request %d is\n%q, recorded is\n%q", i, got, want)
		}
	}
}

// The documents in the captures, joined from their parts, are the original documents.
func TestCapturedDocuments(t *testing.T) {
	all := captures(t)
	for name, want := range map[string]string{
		"retrieve-text-small": "9c1aeed14a6eb80fa0ffb32b0c18138992306479ed45b17480c267480419c8a5",
		"retrieve-text-large": "23b669b020d20abccf45186d750a76baa92e0c661f402ee8dc5ed044a47dbfd6",
		"retrieve-gif":        "b8c95e2b037abf45d87c7285c33cc2b4b20926690820c638df4873c5857b193d",
		"html":                "28cf63a05885038b0ad9a66868a5338bf8e48599487900e903563d755b441616",
		"latin1-text":         "aabc4fcd9b07049c3ecc0e379bc4ef4c96f6345ca91a2519a6835ebd7040b79e",
		"escape-codes":        "9e59b19f647bad416aafb3046981c587708a299f02bb396ba6d135d790a51ab2",
		"long-docid":          "c857d56e2524d8533aa6cba56152c3efbf861a98d870cd035603e228e6f4e595",
		"odd-name":            "5c101c2b6eb7730da478e7296fea573060974618f106300e64304e76fe487077",
		"line-database":       "e9b31fd14aa6a4c9d1bd74b1ccd14d57443b5732ebc56c6eed4b941bb498d211",
		"multitype-text":      "e2e5f45e05c5cad90833cfcd4313d9d0f0c02d32773b53a622d1dfc61d8ec9ae",
		"multitype-gif":       "b8c95e2b037abf45d87c7285c33cc2b4b20926690820c638df4873c5857b193d",
		"text-unknown-length": "9c1aeed14a6eb80fa0ffb32b0c18138992306479ed45b17480c267480419c8a5",
		"text-exact-multiple": "423437f62805913305294abebca5dfc004d0fb5fb51358f57c8ee44b62dfc9a6",
		"lines":               "9c1aeed14a6eb80fa0ffb32b0c18138992306479ed45b17480c267480419c8a5",
	} {
		sum := sha256.New()
		for _, m := range all[name] {
			if m.Client {
				continue
			}
			if r, err := apdu.ParseResponse(m.Octets[apdu.HeaderSize:]); err == nil {
				for _, text := range r.Texts {
					sum.Write(text.Data)
				}
			}
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// An incomplete message is an error.
func TestReadIsWhole(t *testing.T) {
	whole := captures(t)["init"][0].Octets
	for n := range whole {
		_, _, err := apdu.Read(bytes.NewReader(whole[:n]), nil, 1<<20)
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		if err != want {
			t.Errorf("after %d bytes: %v, want %v", n, err, want)
		}
	}
}
