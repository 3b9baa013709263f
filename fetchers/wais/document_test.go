package wais_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/url"
)

// Each type of a document has its own entry and arrives whole, although the server reports the
// length of the first type for all.
func TestTypes(t *testing.T) {
	server := serve(t)
	f := new(wais.Fetcher)
	hits, err := list(t, f, parse(t, server.URL+"/multi?scion"))
	if err != nil || len(hits) != 3 {
		t.Fatalf("%v, %v", hits, err)
	}
	for i, want := range []struct{ file, mediaType string }{{"txt", "text/plain"}, {"gif", "image/gif"}, {"html", "text/html"}} {
		data := files["multi/graft."+want.file].Data
		res, body, err := get(t, f, hits[i].URL)
		if err != nil || !bytes.Equal(body, data) || res.MediaType != want.mediaType || hits[i].MediaType != want.mediaType {
			t.Errorf("%s: %d bytes of %d, %v", hits[i].URL, len(body), len(data), err)
		}
		if size := hits[i].Size; size != -1 && size != int64(len(data)) {
			t.Errorf("%s: size %d", hits[i].URL, size)
		}
	}
	// A list of types, as in old browsers, means the first one.
	several := strings.Replace(hits[1].URL.String(), "/GIF/", "/GIF,TEXT/", 1)
	if res, body, err := get(t, f, parse(t, several)); err != nil || len(body) != 22500 || res.MediaType != "image/gif" {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// A document of ten million bytes arrives in chunks, unchanged, with little memory.
func TestLarge(t *testing.T) {
	random := rand.NewChaCha8([32]byte{8})
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "big"), 0o700); err != nil {
		t.Fatal(err)
	}
	const size = 10 << 20
	write := func(name string, data []byte) [32]byte {
		if err := os.WriteFile(filepath.Join(dir, "big", name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(data)
	}
	binary := make([]byte, size)
	random.Read(binary)
	sums := map[string][32]byte{
		"b.bin": write("b.bin", binary),
		"t.txt": write("t.txt", bytes.Repeat([]byte("A line of a long text, which goes on.\n"), size/38+1)[:size]),
	}
	binary = nil
	server := waistest.NewServer(os.DirFS(dir))
	defer server.Close()

	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	before, most := memory.HeapAlloc, memory.HeapAlloc
	for name, kind := range map[string]string{"b.bin": "BIN", "t.txt": "TEXT"} {
		f := new(wais.Fetcher)
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: place(t, server, "big", kind, "0 0 /wais/docs/"+name)})
		if err != nil {
			t.Fatal(err)
		}
		sum, longest := sha256.New(), 0
		buf := make([]byte, 1<<20)
		for reads := 0; err == nil; reads++ {
			if reads%100 == 0 {
				runtime.ReadMemStats(&memory)
				most = max(most, memory.HeapAlloc)
			}
			var n int
			n, err = res.Body.Read(buf)
			sum.Write(buf[:n])
			longest = max(longest, n)
		}
		if err != io.EOF || !res.Confirmed() || res.Received() != size || [32]byte(sum.Sum(nil)) != sums[name] {
			t.Errorf("%s: %d bytes, %v", name, res.Received(), err)
		}
		if longest > 10_000 {
			t.Errorf("%d bytes in one piece", longest)
		}
		res.Close()
		f.CloseIdle()
	}
	if got, want := len(server.Transcript()), 2*(1+size/10_000+1); got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
	if most > before+20<<20 {
		t.Errorf("%d bytes of memory, server included", most-before)
	}
	t.Logf("%d bytes of memory at most, server included", most-before)
}

// The end of a document of any length is found without an error.
func TestEnds(t *testing.T) {
	for _, size := range []int{0, 1, 999, 1000, 1001, 1999, 2000, 3000} {
		data := bytes.Repeat([]byte("x"), size)
		server := waistest.NewServer(fstest.MapFS{"db/x.txt": {Data: data}})
		f := &wais.Fetcher{Chunk: 1000}
		for _, local := range []string{"0 0 /wais/docs/x.txt", fmt.Sprintf("0 %d /wais/docs/x.txt", size)} {
			res, body, err := get(t, f, place(t, server, "db", "TEXT", local))
			if err != nil || len(body) != size || !res.Confirmed() {
				t.Errorf("%q of %d: %d bytes, %v", local, size, len(body), err)
			}
			if size < 1000 && err == nil && res.Size != int64(size) {
				t.Errorf("%q of %d: Size %d", local, size, res.Size)
			}
		}
		f.CloseIdle()
		server.Close()
	}
}

func TestRefusals(t *testing.T) {
	server := serve(t)
	f := new(wais.Fetcher)
	for _, c := range []struct {
		u     *url.URL
		class error
		words string
	}{
		{parse(t, server.URL+"/nowhere?x"), fs.ErrNotExist, "S1 The following database is not available"},
		{place(t, server, "nowhere", "TEXT", "0 0 /wais/docs/bees.txt"), fs.ErrNotExist, "S1 The following"},
		{place(t, server, "garden", "TEXT", "0 0 /wais/docs/none.txt"), fs.ErrNotExist, "SF Missing DocID in request"},
		{parse(t, server.URL+"/garden/TEXT/nonsense"), fs.ErrNotExist, "SF Missing DocID in request"},
		{parse(t, server.URL+"/garden?(apples"), nil, "S1 query syntax error: (apples"},
	} {
		_, _, err := get(t, f, c.u)
		var refused *fetchers.StatusError
		if !errors.As(err, &refused) || !strings.HasPrefix(refused.Text, c.words) || c.class != nil && !errors.Is(err, c.class) {
			t.Errorf("%s: %v", c.u, err)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections; a refusal is no reason for another", n)
	}
}

// A server that cannot send an answer of the requested length gets smaller requests on the same
// connection; if none succeeds, the fetch fails.
func TestChunkTooLarge(t *testing.T) {
	server := serve(t, waistest.Room(1200))
	_, body, err := get(t, new(wais.Fetcher), place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"))
	if err != nil || !bytes.Equal(body, content) || server.Connections() != 1 {
		t.Errorf("%d bytes, %v, %d connections", len(body), err, server.Connections())
	}
	asked := server.Transcript()
	if want := []string{"0-10000", "0-5000", "0-2500", "0-1250", "0-625", "625-1250"}; !endings(asked[1:7], want) {
		t.Errorf("asked for %q", asked[:7])
	}

	server = serve(t, waistest.Room(200))
	if _, _, err := get(t, new(wais.Fetcher), place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt")); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("%v", err)
	}
	if n := len(server.Transcript()); n > 10 {
		t.Errorf("%d requests", n)
	}
}

func endings(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool { return strings.HasSuffix(g, w) })
}

// The address of a server in its document-ids is ignored.
func TestAddressInDocumentID(t *testing.T) {
	server := serve(t)
	var dialled []string
	f := &wais.Fetcher{Network: &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialled = append(dialled, addr)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}}
	hits, err := list(t, f, parse(t, server.URL+"/garden?honey"))
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	f.CloseIdle()
	if _, _, err := get(t, f, hits[0].URL); err != nil {
		t.Error(err)
	}
	if !slices.Equal(dialled, []string{server.Addr, server.Addr}) {
		t.Errorf("connections to %q", dialled)
	}
}
