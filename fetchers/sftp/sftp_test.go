package sftp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

// get fetches a URL and reads the Body.
func get(t testing.TB, f fetchers.Fetcher, text string, with ...func(*fetchers.Request)) (*fetchers.Resource, string, error) {
	t.Helper()
	req := &fetchers.Request{URL: parse(t, text)}
	for _, change := range with {
		change(req)
	}
	res, err := f.Fetch(t.Context(), req)
	if err != nil {
		return nil, "", err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

func entries(t testing.TB, f fetchers.Fetcher, text string) (all []fetchers.Entry) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func TestPaths(t *testing.T) {
	server := sftptest.New(t, files, sftptest.Home("pub/deep"))
	f := knowing(t, server)
	for path, want := range map[string]string{
		"/pub/short":         "short\n",
		"//pub//short":       "short\n",
		"/~/a/b.txt":         "b\r\n",
		"/%7E/a/b.txt":       "b\r\n",
		"/pub/a%20b%0A%25;c": "odd\n",
		"/pub/empty":         "",
	} {
		res, body, err := get(t, f, server.URL+path)
		if err != nil || body != want || !res.Confirmed() || res.Size != int64(len(want)) {
			t.Errorf("%s: %q, %v; want %q", path, body, err, want)
		}
	}
	for _, path := range []string{"/~", "/~/"} {
		if all := entries(t, f, server.URL+path); len(all) != 1 || all[0].Name != "a" || all[0].URL.String() != server.URL+"/~/a/" {
			t.Errorf("%s: %v", path, all)
		}
	}
	if _, _, err := get(t, f, server.URL+"/pub/fifo"); !errors.Is(err, fetchers.ErrNotRetrievable) {
		t.Errorf("a FIFO: %v", err)
	}
	if slices.ContainsFunc(server.Transcript(), func(r string) bool { return strings.HasPrefix(r, `OPEN "/pub/fifo`) }) {
		t.Error("a FIFO was opened")
	}
}

// A link is described by its target, and a link in a loop by itself.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	write("file.txt", "hello\n")
	write("odd %;\r\n\x1b\xff", "odd\n")
	for link, to := range map[string]string{"link": "file.txt", "dirlink": "sub", "circle": "circle", "broken": "no; where"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	server := sftptest.New(t, os.DirFS(dir))
	f := knowing(t, server)
	got := make(map[string]string)
	for _, e := range entries(t, f, server.URL+"/") {
		link, is := e.Attributes["unix.link"]
		got[e.Name] = fmt.Sprint(e.Kind, " ", e.Size, " ", e.URL.Path, " ", e.Attributes["unix.mode"], " ", is, " ", link)
		if e.Kind == fetchers.Document && !e.ModTime.Equal(modified) {
			t.Errorf("%q is of %v", e.Name, e.ModTime)
		}
	}
	for name, want := range map[string]string{
		"file.txt":             "document 6 /file.txt 0640 false ",
		"odd %;\r\n\x1b\xff":   "document 4 /odd%20%25%3B%0D%0A%1B%FF 0640 false ",
		"link":                 "document 6 /link 0640 true file.txt",
		"dirlink":              "listing -1 /dirlink/ 0755 true sub",
		"sub":                  "listing -1 /sub/ 0755 false ",
		"circle":               "unknown -1 /circle 0777 true circle",
		"broken":               "unknown -1 /broken 0777 true no; where",
		"there is no such one": "",
	} {
		if got[name] != want {
			t.Errorf("%q: %q, want %q", name, got[name], want)
		}
	}
	if len(got) != 7 {
		t.Errorf("%d entries: %q", len(got), got)
	}
	if _, _, err := get(t, f, server.URL+"/circle"); err == nil {
		t.Error("a circle was fetched")
	}
	if _, body, err := get(t, f, server.URL+"/link"); err != nil || body != "hello\n" {
		t.Errorf("by a link: %q, %v", body, err)
	}
}

// A large directory is read only as far as the listing is read.
func TestLargeListing(t *testing.T) {
	many := fstest.MapFS{}
	for i := range 5000 {
		many[fmt.Sprintf("d/%04d", i)] = &fstest.MapFile{}
	}
	server := sftptest.New(t, many)
	f := knowing(t, server)
	if all := entries(t, f, server.URL+"/d"); len(all) != 5000 {
		t.Errorf("%d entries", len(all))
	}
	before := len(server.Transcript())
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/d")})
	if err != nil {
		t.Fatal(err)
	}
	for range res.Entries() {
		break
	}
	res.Close()
	if asked := len(server.Transcript()) - before; asked > 20 {
		t.Errorf("%d requests for one entry of 5000", asked)
	}
}

// A packet may have thousands of links, and each answer about one a quarter of a megabyte. Only few
// of them are requested at once, and only as far as the listing is read.
func TestManyLinks(t *testing.T) {
	const id, links = "\x00\x00\x00\x00", 12_000
	number := func(n int) string { return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) }
	packet := func(body string) string { return number(len(body)) + body }
	target := strings.Repeat("\x1b", 250_000)
	link := number(1) + "l" + number(0) + number(4) + "\x00\x00\xa1\xff"
	server := sftptest.New(t, files,
		sftptest.Reply("READDIR", packet("\x68"+id+number(links)+strings.Repeat(link, links))),
		sftptest.Reply("READLINK", packet("\x68"+id+number(1)+number(len(target))+target+number(0)+number(0))))
	res, err := knowing(t, server).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	seen := 0
	for e, err := range res.Entries() {
		if err != nil || e.Name != "l" || e.Attributes["unix.link"] != target {
			t.Fatalf("%q, %v", e.Name, err)
		}
		if seen++; seen == 10 {
			break
		}
	}
	asked := 0
	for _, r := range server.Transcript() {
		if strings.HasPrefix(r, "READLINK") {
			asked++
		}
	}
	if asked > 100 {
		t.Errorf("%d links are asked about, and %d entries were read", asked, seen)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault sftptest.Fault
		want  error
	}{
		{sftptest.Fault{After: 100_000, Do: sftptest.Cut}, io.ErrUnexpectedEOF},
		{sftptest.Fault{After: 0, Do: sftptest.Cut}, io.ErrUnexpectedEOF},
		{sftptest.Fault{After: 100_000, Do: sftptest.Reset}, fetchers.ErrTemporary},
		{sftptest.Fault{After: 100_000, Do: sftptest.Stall}, fetchers.ErrStalled},
		{sftptest.Fault{After: 100_000, Do: sftptest.End}, io.ErrUnexpectedEOF},
		{sftptest.Fault{After: int64(len(content)) - 1, Do: sftptest.End}, io.ErrUnexpectedEOF},
		{sftptest.Fault{After: 100_000, Do: sftptest.Fail}, nil}, // without a class
		{sftptest.Fault{Do: sftptest.Change}, fetchers.ErrChanged},
	} {
		for _, shared := range []bool{false, true} {
			t.Run(fmt.Sprint(c.fault, shared), func(t *testing.T) {
				server := sftptest.New(t, files, sftptest.Faults(c.fault))
				f := knowing(t, server)
				if c.fault.Do == sftptest.Stall {
					f.Network = &fetchers.Network{Stall: time.Second}
				}
				_, body, err := get(t, f, server.URL+"/pub/poem.txt", func(r *fetchers.Request) { r.Multiplex = shared })
				if err == nil || c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("%d bytes, %v; want %v", len(body), err, c.want)
				}
				if !strings.HasPrefix(string(content), body) {
					t.Error("the bytes are others")
				}
			})
		}
	}
}

// A silent server times out, whatever the request is.
func TestStalls(t *testing.T) {
	for _, request := range []string{"INIT", "STAT", "OPEN", "FSTAT", "READ", "OPENDIR", "READDIR"} {
		t.Run(request, func(t *testing.T) {
			server := sftptest.New(t, files, sftptest.Reply(request, ""))
			f := knowing(t, server)
			f.Network = &fetchers.Network{Stall: 100 * time.Millisecond}
			path := "/pub/poem.txt"
			if strings.HasSuffix(request, "DIR") {
				path = "/pub"
			}
			began := time.Now()
			if _, _, err := get(t, f, server.URL+path); !errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("error = %v", err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("after %v", took)
			}
		})
	}
}

// Malformed packets are errors, and end the connection.
func TestBrokenPackets(t *testing.T) {
	const id = "\x00\x00\x00\x00"
	for name, c := range map[string]struct{ request, packet string }{
		"a version before 3":            {"INIT", "\x00\x00\x00\x05\x02\x00\x00\x00\x02"},
		"text in place of VERSION":      {"INIT", "Last login: yesterday\r\n"},
		"a huge VERSION":                {"INIT", "\x7f\xff\xff\xff\x02\x00\x00\x00\x03"},
		"a VERSION of 4 GiB":            {"INIT", "\xff\xff\xff\xff\x02\x00\x00\x00\x03"},
		"ATTRS that ends in its size":   {"STAT", "\x00\x00\x00\x0d\x69" + id + "\x00\x00\x00\x01\x00\x00\x00\x00"},
		"ATTRS with endless extensions": {"STAT", "\x00\x00\x00\x0d\x69" + id + "\x80\x00\x00\x00\xff\xff\xff\xff"},
		"a packet of 4 GiB":             {"STAT", "\xff\xff\xff\xff\x69" + id + "\x00\x00\x00\x00"},
		"a packet without bytes":        {"STAT", "\x00\x00\x00\x00\x69" + id + "\x00\x00\x00\x00"},
		"a STATUS of 1 MiB":             {"STAT", "\x00\x10\x00\x00\x65" + id + "\x00\x00\x00\x04"},
		"NAME in place of ATTRS":        {"STAT", "\x00\x00\x00\x09\x68" + id + "\x00\x00\x00\x00"},
		"OK in place of ATTRS":          {"STAT", "\x00\x00\x00\x09\x65" + id + "\x00\x00\x00\x00"},
		"a packet of no known type":     {"STAT", "\x00\x00\x00\x09\xfe" + id + "\x00\x00\x00\x00"},
		"DATA in place of HANDLE":       {"OPEN", "\x00\x00\x00\x0a\x67" + id + "\x00\x00\x00\x01x"},
		"a HANDLE that is too short":    {"OPEN", "\x00\x00\x00\x0a\x66" + id + "\x00\x00\x00\x09x"},
		"an empty DATA":                 {"READ", "\x00\x00\x00\x09\x67" + id + "\x00\x00\x00\x00"},
		"more DATA than was asked for":  {"READ", "\x00\x01\x00\x09\x67" + id + "\x00\x01\x00\x00" + strings.Repeat("x", 1<<16)},
		"DATA that lies about itself":   {"READ", "\x00\x00\x00\x0b\x67" + id + "\x00\x00\x00\x01xxx"},
		"HANDLE in place of DATA":       {"READ", "\x00\x00\x00\x0a\x66" + id + "\x00\x00\x00\x01x"},
		"a NAME of 4 billion entries":   {"READDIR", "\x00\x00\x00\x09\x68" + id + "\xff\xff\xff\xff"},
		"a NAME of no entry":            {"READDIR", "\x00\x00\x00\x09\x68" + id + "\x00\x00\x00\x00"},
		"a NAME with a name of 2 GiB":   {"READDIR", "\x00\x00\x00\x0e\x68" + id + "\x00\x00\x00\x01\x7f\xff\xff\xffx"},
	} {
		t.Run(name, func(t *testing.T) {
			server := sftptest.New(t, files, sftptest.Reply(c.request, c.packet))
			f := knowing(t, server)
			f.Network = &fetchers.Network{Stall: 5 * time.Second}
			path := "/pub/poem.txt"
			if c.request == "READDIR" {
				path = "/pub"
			}
			_, body, err := get(t, f, server.URL+path)
			if !errors.Is(err, fetchers.ErrProtocol) || body != "" {
				t.Errorf("%d bytes, %v", len(body), err)
			}
		})
	}
}

// Malicious names in a listing have no URL.
func TestHostileNames(t *testing.T) {
	name := func(s string) string {
		return string([]byte{0, 0, 0, byte(len(s))}) + s + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"
	}
	bad := []string{"../up", "/etc/passwd", "a/b", "nul\x00l", ""}
	good := []string{"cr\r\nlf", "\x1b[2J", "\xff", "..."}
	packet := "\x68\x00\x00\x00\x00\x00\x00\x00\x0b" + name(".") + name("..")
	for _, n := range append(slices.Clone(bad), good...) {
		packet += name(n)
	}
	packet = string([]byte{0, 0, 0, byte(len(packet))}) + packet
	server := sftptest.New(t, files, sftptest.Reply("READDIR", packet))
	res, err := knowing(t, server).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	seen := 0
	for e, err := range res.Entries() { // endless
		if err != nil {
			t.Fatal(err)
		}
		switch isGood := slices.Contains(good, e.Name); {
		case isGood && (e.URL == nil || !parse(t, server.URL+"/pub").Holds(e.URL)):
			t.Errorf("%q leads to %v", e.Name, e.URL)
		case !isGood && (e.Kind != fetchers.Unparsed || e.URL != nil || !slices.Contains(bad, e.Name)):
			t.Errorf("%q is a %v and leads to %v", e.Name, e.Kind, e.URL)
		}
		if seen++; seen == 900 {
			break
		}
	}
	if seen != 900 {
		t.Errorf("%d entries", seen)
	}
}

// An endless directory ends at MaxListing.
func TestEndlessListing(t *testing.T) {
	server := sftptest.New(t, files, sftptest.Reply("READDIR", "\x00\x00\x00\x16\x68\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x00\x00\x00\x00\x00\x00\x00"))
	res, err := knowing(t, server).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	res.MaxListing = 10_000
	for _, err = range res.Entries() {
	}
	if !errors.Is(err, fetchers.ErrTooLarge) {
		t.Errorf("error = %v", err)
	}
}

// The size of a file that is generated during reading is unknown before its end.
func TestUnknownSize(t *testing.T) {
	const attributes = "\x00\x00\x00\x19\x69\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x81\xa4" // of size 0
	attrs := strings.Replace(attributes, "\x19", "\x15", 1)
	server := sftptest.New(t, files, sftptest.Reply(`STAT "/pub/poem.txt"`, attrs), sftptest.Reply("FSTAT", attrs))
	res, body, err := get(t, knowing(t, server), server.URL+"/pub/poem.txt")
	if err != nil || body != string(content) || res.Size != -1 || !res.Confirmed() {
		t.Errorf("%d bytes, %v, of %+v", len(body), err, res)
	}
}

// A server may send fewer bytes than requested.
func TestShortReads(t *testing.T) {
	server := sftptest.New(t, files, sftptest.Reply("READ 0-32767", "\x00\x00\x00\x0a\x67\x00\x00\x00\x00\x00\x00\x00\x01a"))
	_, body, err := get(t, knowing(t, server), server.URL+"/pub/poem.txt")
	if err != nil || body != string(content) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// The rest of a short answer is requested after the others, and the file must not have changed.
func TestChangeAfterShortRead(t *testing.T) {
	last := len(content) - len(content)%(32<<10)
	for path, short := range map[string]string{
		"/pub/short":    "READ 0-5",
		"/pub/poem.txt": fmt.Sprintf("READ %d-%d", last, len(content)-1),
	} {
		server := sftptest.New(t, files,
			sftptest.Reply(short, "\x00\x00\x00\x0a\x67\x00\x00\x00\x00\x00\x00\x00\x01s"),
			sftptest.Faults(sftptest.Fault{Path: "/pub/short", After: 5, Do: sftptest.Change},
				sftptest.Fault{Path: "/pub/poem.txt", After: int64(len(content)) - 1, Do: sftptest.Change}))
		if _, body, err := get(t, knowing(t, server), server.URL+path); !errors.Is(err, fetchers.ErrChanged) {
			t.Errorf("%s: %d bytes, %v", path, len(body), err)
		}
	}
}

// A range that a single READ returns is from the file of STAT, or an error.
func TestChangeBeforeRange(t *testing.T) {
	server := sftptest.New(t, files, sftptest.Faults(sftptest.Fault{Do: sftptest.Change}))
	part := func(r *fetchers.Request) {
		r.Range, r.Have = fetchers.Range{Offset: 1, Length: 3}, fetchers.Validator{ModTime: modified}
	}
	if _, body, err := get(t, knowing(t, server), server.URL+"/pub/short", part); !errors.Is(err, fetchers.ErrChanged) {
		t.Errorf("%q, %v", body, err)
	}
}

// There are 64 outstanding READs, and 64 fetches share a connection if allowed.
func TestRequestsUnderWay(t *testing.T) {
	server := sftptest.New(t, files)
	f := knowing(t, server)
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			res, body, err := get(t, f, server.URL+"/pub/poem.txt", func(r *fetchers.Request) { r.Multiplex = true })
			if err != nil || body != string(content) || res.Streams != 64 {
				t.Errorf("%d: %d bytes, %v", i, len(body), err)
			}
		})
	}
	group.Wait()
	if n := server.Connections(); n > 4 {
		t.Errorf("%d connections for 200 fetches, 64 at once on each", n)
	}
}

// A Body that is closed early, or a canceled fetch, does not affect others on its connection.
func TestSharing(t *testing.T) {
	server := sftptest.New(t, files)
	f := knowing(t, server)
	shared := func(r *fetchers.Request) { r.Multiplex = true }
	var group sync.WaitGroup
	for i := range 60 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt"), Multiplex: true})
			if err != nil {
				t.Error(err)
				return
			}
			io.ReadFull(res.Body, make([]byte, i*1000))
			switch i % 3 {
			case 0:
				res.Close()
			case 1:
				cancel()
				if _, err := io.Copy(io.Discard, res.Body); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				res.Close()
			case 2:
				if rest, err := io.ReadAll(res.Body); err != nil || string(rest) != string(content[i*1000:]) {
					t.Errorf("%d bytes, %v", len(rest), err)
				}
				res.Close()
			}
			if _, body, err := get(t, f, server.URL+"/pub/short", shared); err != nil || body != "short\n" {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
	group.Wait()
}

func TestStrangers(t *testing.T) {
	key, line := newKey(t, "")
	server := sftptest.New(t, files, sftptest.User("user", "s3cret"), sftptest.AuthorizedKey(line))
	f := knowing(t, server)
	f.Keys, f.User = []sftp.Key{key}, "me"
	f.Host = func(name, _ string) (sftp.Host, error) { return sftp.Host{}, nil }
	if _, _, err := get(t, f, server.URL+"/pub/short"); err != nil {
		t.Fatal(err)
	}
	f.CloseIdle()
	asked := false
	f.Host = func(name, _ string) (sftp.Host, error) { asked = true; return sftp.Host{}, nil }
	for named, text := range map[fetchers.Namer]string{
		fetchers.ByServer:   server.URL,
		fetchers.ByStranger: strings.Replace(server.URL, "://", "://user:s3cret@", 1),
	} {
		_, _, err := get(t, f, text+"/pub/short", func(r *fetchers.Request) { r.Named = named })
		if !errors.Is(err, fetchers.ErrLogin) || !strings.Contains(err.Error(), "does not let in anonymous;") {
			t.Errorf("%v: %v", named, err)
		}
	}
	if asked {
		t.Error("the configuration was asked about a URL that the user did not name")
	}
}

func TestErrors(t *testing.T) {
	const id = "\x00\x00\x00\x00"
	for code, want := range map[string]error{
		"\x02": fs.ErrNotExist, "\x03": fs.ErrPermission, "\x06": fetchers.ErrTemporary, "\x07": fetchers.ErrTemporary, "\x08": errors.ErrUnsupported,
	} {
		server := sftptest.New(t, files, sftptest.Reply("OPEN", "\x00\x00\x00\x09\x65"+id+"\x00\x00\x00"+code))
		if _, _, err := get(t, knowing(t, server), server.URL+"/pub/short"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", code, err, want)
		}
	}
}
