package interop

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

var geminiServers = []string{"molly-brown", "geminitest"}

// ourGemini returns integration/geminitest with the tree of the others.
func ourGemini(t *testing.T) servers.Instance {
	t.Helper()
	like := servers.Need(t, "molly-brown")
	server := geminitest.New(t, os.DirFS(filepath.Dir(like.Root)), geminitest.Private("/private/x"),
		geminitest.Reply("/old/hello.txt", "30 /pub/hello.txt\r\n"), geminitest.Reply("/gone/hello.txt", "31 /pub/hello.txt\r\n"))
	trusted = server.Certificate()
	like.Name, like.URL, like.Tree = "geminitest", server.URL, server.URL+"/pub"
	return like
}

func TestGeminiDocuments(t *testing.T) {
	forEach(t, geminiServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for _, path := range documents {
			want := onDisk(t, server, path)
			res, got := get(t, client, server.Tree+"/"+path)
			if !bytes.Equal(got, want) || res.Kind != fetchers.Document || !res.Confirmed() {
				t.Errorf("%s: %v of %d bytes that are not the %d on disk, confirmed: %v", path, res.Kind, len(got), len(want), res.Confirmed())
			}
		}
		if res, _ := get(t, client, server.Tree+"/hello.txt"); res.MediaType != "text/plain" || res.Reply.Code != 20 {
			t.Errorf("hello.txt is %s, by %v", res.MediaType, res.Reply)
		}
	})
}

// The links of a directory lead to its files, for all names.
func TestGeminiListings(t *testing.T) {
	forEach(t, geminiServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.Tree+"/"), List: true})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		found := make(map[string]fetchers.Entry)
		for e, err := range res.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			found[e.Name] = e
		}
		for _, name := range []string{"hello.txt", "a blank.txt", "100%.txt", "%41.txt", "number#1.txt", "résumé.txt", "日本.txt", "what?.txt", "100k.bin"} {
			e, ok := found[name]
			if !ok || e.Kind != fetchers.Document {
				t.Errorf("%q is not listed: %+v", name, e)
				continue
			}
			want, err := os.ReadFile(filepath.Join(server.Root, name))
			if _, got := get(t, client, e.URL.String()); !bytes.Equal(got, want) || err != nil {
				t.Errorf("%q is listed at %s, where it is not (%v)", name, e.URL, err)
			}
		}
		if e := found["deep"]; e.Kind != fetchers.Listing {
			t.Errorf("deep is a %v", e.Kind)
		}
	})
}

func TestGeminiRefusals(t *testing.T) {
	forEach(t, geminiServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for path, want := range map[string]struct {
			code  int
			class error
		}{
			"/pub/nope":  {51, fs.ErrNotExist},
			"/private/x": {60, fs.ErrPermission},
		} {
			_, err := client.Get(t.Context(), server.URL+path)
			refused, ok := errors.AsType[*fetchers.StatusError](err)
			if !ok || refused.Code != want.code || !errors.Is(err, want.class) {
				t.Errorf("%s: %v, want %d", path, err, want.code)
			}
		}
		for _, path := range []string{"/old/hello.txt", "/gone/hello.txt"} {
			if res, got := get(t, client, server.URL+path); !bytes.Equal(got, onDisk(t, server, "hello.txt")) || res.URL.Path != "/pub/hello.txt" {
				t.Errorf("%s leads to %s", path, res.URL)
			}
		}
		if res, _ := get(t, client, server.Tree); res.URL.Path != "/pub/" {
			t.Errorf("the directory without its slash leads to %s", res.URL)
		}
	})
}

// A certificate of an authority that is not known is trusted on its first use, and no other one
// is in its place.
func TestGeminiFirstUse(t *testing.T) {
	forEach(t, geminiServers, func(t *testing.T, server servers.Instance) {
		store := new(gemini.Memory)
		f := &gemini.Fetcher{Store: store}
		u := parse(t, server.Tree+"/hello.txt")
		var known gemini.Pin
		for range 2 {
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			known = gemini.PinOf(res.TLS.PeerCertificates[0])
			res.Close()
		}
		other := known
		other.Fingerprint = "0"
		store.Update(t.Context(), u.Addr(), func(kept gemini.Pin) (gemini.Pin, error) {
			if kept != known {
				t.Errorf("%v is kept, want %v", kept, known)
			}
			return other, nil
		})
		if _, err := f.Fetch(t.Context(), &fetchers.Request{URL: u}); !errors.Is(err, fetchers.ErrUntrusted) {
			t.Errorf("another certificate is known: %v", err)
		}
	})
}

func TestGeminiConformance(t *testing.T) {
	forEach(t, geminiServers, func(t *testing.T, server servers.Instance) {
		conformance.Run(t, conformance.Target{
			Fetcher:  &gemini.Fetcher{TLS: &tls.Config{}},
			Document: parse(t, server.Tree+"/100k.bin"),
			Content:  onDisk(t, server, "100k.bin"),
			Missing:  parse(t, server.Tree+"/nope"),
		})
	})
}
