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
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/url"
)

var content = bytes.Repeat([]byte("Apples and pears grow in the orchard.\n"), 2000) // eight chunks

var when = time.Date(1994, 5, 6, 0, 0, 0, 0, time.UTC)

var files = fstest.MapFS{
	"garden/apple.txt":   {Data: content, ModTime: when},
	"garden/bees.txt":    {Data: []byte("Keeping bees\n\nHoney is taken in August. Bees like apples.\n"), ModTime: when},
	"garden/page.html":   {Data: []byte("<p>An orchard</p>\n")},
	"garden/ten.txt":     {Data: bytes.Repeat([]byte("0123456789"), 1000)},
	"garden/empty.txt":   {},
	"multi/graft.txt":    {Data: []byte("Graft story\n\nA scion.\n")},
	"multi/graft.gif":    {Data: bytes.Repeat([]byte("GIF87a\x00\xff\x1b"), 2500)},
	"multi/graft.html":   {Data: []byte("<p>A scion</p>\n")},
	"odd/a b;c=d%41.txt": {Data: []byte("Odd\n")},
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// place is the URL of a document of the test server.
func place(t testing.TB, server *waistest.Server, database, kind, local string) *url.URL {
	t.Helper()
	u := parse(t, server.URL+"/"+database)
	id := fmt.Sprintf("\x02%c%s\x03%c%s\x07\x01\x00", len(database), database, len(local), local)
	return url.WAIS{Authority: u.Authority, Database: database, WType: kind, WPath: id}.URL()
}

func serve(t testing.TB, opts ...waistest.Option) *waistest.Server {
	t.Helper()
	server := waistest.NewServer(files, append([]waistest.Option{waistest.Families("multi")}, opts...)...)
	t.Cleanup(server.Close)
	return server
}

func get(t testing.TB, f *wais.Fetcher, u *url.URL) (*fetchers.Resource, []byte, error) {
	t.Helper()
	t.Cleanup(f.CloseIdle)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
	if err != nil {
		return nil, nil, err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

func list(t testing.TB, f *wais.Fetcher, u *url.URL) ([]fetchers.Entry, error) {
	t.Helper()
	t.Cleanup(f.CloseIdle)
	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var all []fetchers.Entry
	for e, err := range res.Entries() {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

func TestConformance(t *testing.T) {
	for name, opts := range map[string][]waistest.Option{
		"freeWAIS":     nil,
		"the standard": {waistest.Standard(), waistest.NoCatalog("garden"), waistest.Wide()},
		"little room":  {waistest.Room(1500)},
		"octets":       {waistest.Faults(waistest.Fault{Request: waistest.Search, Do: waistest.Slow})},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, opts...)
			conformance.Run(t, conformance.Target{
				Fetcher:   new(wais.Fetcher),
				Document:  place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"),
				Content:   content,
				Missing:   place(t, server, "garden", "TEXT", "0 0 /wais/docs/nothing.txt"),
				Directory: parse(t, server.URL+"/garden?orchard"),
				Stalled: func(t *testing.T) *url.URL {
					return place(t, faulty(t, waistest.Stall, opts), "garden", "TEXT", "0 0 /wais/docs/apple.txt")
				},
				Cut: func(t *testing.T) *url.URL {
					return place(t, faulty(t, waistest.Cut, opts), "garden", "TEXT", "0 0 /wais/docs/apple.txt")
				},
			})
		})
	}
}

// faulty is a server that strikes the third chunk.
func faulty(t *testing.T, do waistest.Action, opts []waistest.Option) *waistest.Server {
	return serve(t, append(slices.Clone(opts), waistest.Faults(waistest.Fault{Request: waistest.Retrieve, After: 3, Do: do}))...)
}

// A database is an Index with its description, and a question leads to an answer.
func TestDescription(t *testing.T) {
	server := serve(t, waistest.Undescribed("odd"))
	f := new(wais.Fetcher)
	for _, path := range []string{"/garden", "/garden?", "/garden.src"} {
		res, body, err := get(t, f, parse(t, server.URL+path))
		if err != nil {
			t.Fatal(err)
		}
		if res.Kind != fetchers.Index || res.MediaType != "application/x-wais-source" || res.Size != int64(len(body)) || !res.Confirmed() {
			t.Errorf("%s: %v, %q, size %d of %d, confirmed %v", path, res.Kind, res.MediaType, res.Size, len(body), res.Confirmed())
		}
		source, err := wais.ParseSource(bytes.NewReader(body))
		if err != nil || source.Database != "garden" || "wais://"+source.Name+":"+fmt.Sprint(source.Port) != server.URL {
			t.Errorf("%s: %+v, %v", path, source, err)
		}
		if got, want := res.Query("bees & honey").String(), server.URL+strings.TrimSuffix(path, "?")+"?bees+%26+honey"; got != want {
			t.Errorf("%s: the question is %s, want %s", path, got, want)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}

	// The protocol does not tell a database that is not there from one that is not
	// described.
	for _, path := range []string{"/odd", "/nowhere"} {
		res, body, err := get(t, f, parse(t, server.URL+path))
		if err != nil || res.Kind != fetchers.Index || len(body) > 0 || res.MediaType != "" {
			t.Errorf("%s: %+v, %q, %v", path, res, body, err)
		}
	}
}

func TestSearch(t *testing.T) {
	server := serve(t)
	f := new(wais.Fetcher)
	hits, err := list(t, f, parse(t, server.URL+"/garden?apples+honey"))
	if err != nil || len(hits) != 2 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	first := hits[0]
	if first.Name != "Apples and pears grow in the orchard." || first.Score != 1000 || first.Size != int64(len(content)) ||
		first.MediaType != "text/plain" || !first.ModTime.Equal(when) || first.Kind != fetchers.Document || first.Attributes["wais.type"] != "TEXT" {
		t.Errorf("%+v", first)
	}
	for _, hit := range hits {
		if _, body, err := get(t, f, hit.URL); err != nil || int64(len(body)) != hit.Size {
			t.Errorf("%s: %d bytes, %v", hit.URL, len(body), err)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections for one host, want 1", n)
	}
}

// Nothing found is an empty listing, whether there is a catalog or not.
func TestNoHits(t *testing.T) {
	for _, opts := range [][]waistest.Option{nil, {waistest.NoCatalog("garden")}} {
		hits, err := list(t, new(wais.Fetcher), parse(t, serve(t, opts...).URL+"/garden?zzyzx"))
		if err != nil || len(hits) != 0 {
			t.Errorf("%v, %v", hits, err)
		}
	}
}

// Each type of a document is an entry of its own and arrives whole, though the
// length that the server tells is that of the first.
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
	// A browser's list of types means the first.
	several := strings.Replace(hits[1].URL.String(), "/GIF/", "/GIF,TEXT/", 1)
	if res, body, err := get(t, f, parse(t, several)); err != nil || len(body) != 22500 || res.MediaType != "image/gif" {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// A document of ten million octets, in chunks, byte for byte, in little memory.
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

// However long a document is, its end is found, and without an error.
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

// A server that cannot answer at that length is asked for less, on the same
// connection; and one that never can is given up.
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

// What goes wrong is an error of the right class, at whichever answer, and nothing
// is delivered as whole that is not.
func TestFaults(t *testing.T) {
	first := map[waistest.Action]error{
		waistest.Hang: fetchers.ErrProtocol, waistest.Cut: io.ErrUnexpectedEOF, waistest.Stall: fetchers.ErrStalled,
		waistest.Empty: fetchers.ErrProtocol, waistest.NAK: fetchers.ErrProtocol, waistest.Huge: fetchers.ErrProtocol,
		waistest.Packed: fetchers.ErrProtocol, waistest.Junk: fetchers.ErrProtocol, waistest.Nested: fetchers.ErrProtocol, waistest.Longer: fetchers.ErrProtocol,
	}
	within := map[waistest.Action]error{waistest.Hang: io.ErrUnexpectedEOF}
	for do, class := range first {
		for at, kind := range []waistest.Request{waistest.Init, waistest.Search, waistest.Retrieve, waistest.Retrieve} {
			if do == waistest.Empty && kind == waistest.Init {
				continue // a server may do without
			}
			server := serve(t, waistest.Faults(waistest.Fault{Request: kind, After: at, Do: do}))
			u := parse(t, server.URL+"/garden?apples")
			if kind == waistest.Retrieve {
				u = place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt")
				if at == 3 {
					if late, ok := within[do]; ok {
						class = late
					}
				}
			} else if kind == waistest.Init {
				u = place(t, server, "garden", "TEXT", "0 0 /wais/docs/bees.txt")
			}
			f := new(wais.Fetcher)
			if do == waistest.Stall {
				f.Network = &fetchers.Network{Stall: 50 * time.Millisecond}
			}
			_, body, err := get(t, f, u)
			if !errors.Is(err, class) {
				t.Errorf("action %d at answer %d: %v, want %v", do, at, err, class)
			}
			if !bytes.HasPrefix(content, body) {
				t.Errorf("action %d at answer %d: other bytes", do, at)
			}
		}
	}
}

// A server that does without Init is one of 1992.
func TestWithoutInit(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Request: waistest.Init, Do: waistest.Empty}))
	if _, body, err := get(t, new(wais.Fetcher), place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html")); err != nil || len(body) == 0 {
		t.Errorf("%q, %v", body, err)
	}
}

// What a server announces is not allocated.
func TestHugeAnswer(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Request: waistest.Retrieve, Do: waistest.Huge}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := get(t, new(wais.Fetcher), place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), "9999999999 octets") {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes are allocated", n)
	}
}

// An answer too many is noticed at the next question, on a connection that is then
// not used again.
func TestAnswerTooMany(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Request: waistest.Search, Do: waistest.Double, Once: true}))
	f := new(wais.Fetcher)
	if _, err := list(t, f, parse(t, server.URL+"/garden?honey")); err != nil {
		t.Fatal(err)
	}
	_, body, err := get(t, f, place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"))
	if err == nil && !bytes.Equal(body, content) {
		t.Errorf("%d bytes that are not the document", len(body))
	}
}

// A kept connection that is gone is replaced, once.
func TestKeptConnectionIsGone(t *testing.T) {
	server := serve(t, waistest.Faults(waistest.Fault{Request: waistest.Search, After: 2, Do: waistest.Hang}))
	f := new(wais.Fetcher)
	for range 3 {
		if hits, err := list(t, f, parse(t, server.URL+"/garden?honey")); err != nil || len(hits) != 1 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
	}
	if n := server.Connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// No more is asked for than --max-hits says, and what is like a document is found
// without words.
func TestMaxHitsAndLike(t *testing.T) {
	server := serve(t)
	f := &wais.Fetcher{MaxHits: 1}
	if hits, err := list(t, f, parse(t, server.URL+"/garden?apples")); err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	what, err := place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html").WAIS()
	if err != nil {
		t.Fatal(err)
	}
	f = &wais.Fetcher{Like: []string{what.WPath}}
	for _, path := range []string{"/garden", "/garden?honey"} {
		hits, err := list(t, f, parse(t, server.URL+path))
		if err != nil || len(hits) < 2 {
			t.Errorf("%s: %d hits, %v", path, len(hits), err)
		}
	}
	for _, line := range server.Transcript() {
		if strings.HasPrefix(line, "Search") && !strings.HasSuffix(line, " 1") && !strings.HasSuffix(line, " 100") {
			t.Errorf("asked %s", line)
		}
	}
}

// Nothing is sent for a URL that cannot be asked.
func TestNothingIsInjected(t *testing.T) {
	server := serve(t)
	f := new(wais.Fetcher)
	for _, path := range []string{
		"/db%0D%0A", "/a%1Fb?x", "/a%1E", "/db?a%00b", "/db?a%09b", "/db?a%0Ab", "/db/TE%1FXT/x", "/db/%00/x", "/db/,TEXT/x", "/db/TEXT", "/db/TEXT/", "/", "",
		"/" + strings.Repeat("d", 256), "/db?" + strings.Repeat("w", 9000), "/db/TEXT/" + strings.Repeat("i", 65537), "/db/" + strings.Repeat("T", 256) + "/x",
	} {
		_, err := f.Fetch(context.Background(), &fetchers.Request{URL: parse(t, server.URL+path)})
		var malformed *url.Error
		if !errors.As(err, &malformed) {
			t.Errorf("%.40s: %v, want a malformed URL", path, err)
		}
	}
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// The server's word for where it is counts for nothing.
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

// The conversation can be followed.
func TestTrace(t *testing.T) {
	server := serve(t)
	var told []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
		Sent: func(line string) { told = append(told, "> "+line) },
		Got:  func(line string) { told = append(told, "< "+line) },
	})
	f := new(wais.Fetcher)
	defer f.CloseIdle()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: place(t, server, "garden", "TEXT", "0 0 /wais/docs/bees.txt")})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	want := []string{
		"> Init: messages of up to 100000 octets",
		"< InitResponse: accepted true, messages of up to 100000 octets, WT waistest 1",
		`> Search "garden": octets 0 to 9999 of a document of type TEXT`,
		"< SearchResponse: 58 octets of text, diagnostic SF Request out of range",
	}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}
