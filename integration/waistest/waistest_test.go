package waistest_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// A client sends messages and reads answers.
type client struct {
	t *testing.T
	net.Conn
}

func dial(t *testing.T, server *waistest.Server) client {
	t.Helper()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	return client{t, conn}
}

// send sends octets and returns the message that comes back, nil if none does.
func (c client) send(octets []byte) []byte {
	c.t.Helper()
	if _, err := c.Write(octets); err != nil {
		return nil
	}
	h, body, err := apdu.Read(c, nil, 1<<20)
	if err != nil {
		return nil
	}
	return h.Append(nil, body)
}

func (c client) ask(m interface{ Append([]byte) []byte }) []byte {
	c.t.Helper()
	return c.send(apdu.Plain.Append(nil, m.Append(nil)))
}

// recorded returns all captures by name, and the documents in them by the name that
// they have in the file system of a server.
func recorded(t *testing.T) (captures map[string][]waistest.Captured, files fstest.MapFS) {
	t.Helper()
	names, err := filepath.Glob("../../testdata/captures/wais/*.hex*")
	if err != nil || len(names) != 40 {
		t.Fatalf("%d captures (%v)", len(names), err)
	}
	captures, files = map[string][]waistest.Captured{}, fstest.MapFS{"nocat/x.txt": {}, "garden/empty.txt": {}}
	for _, name := range names {
		messages, err := waistest.ReadCapture(name)
		if err != nil {
			t.Fatal(err)
		}
		short, _, _ := strings.Cut(filepath.Base(name), ".")
		captures[short] = messages
		for i := 1; i < len(messages); i += 2 {
			q, err := apdu.ParseSearch(messages[i-1].Octets[apdu.HeaderSize:])
			if err != nil || q.Retrieve == nil || q.Retrieve.Lines {
				continue
			}
			if a, err := apdu.ParseResponse(messages[i].Octets[apdu.HeaderSize:]); err == nil && len(a.Texts) == 1 {
				keep(files, q, a.Texts[0].Data)
			}
		}
	}
	return captures, files
}

// keep writes a part of a document to its place in a file.
func keep(files fstest.MapFS, q *apdu.Search, data []byte) {
	local, database := "", q.Database
	for _, f := range (url.WAIS{WPath: q.Retrieve.DocumentID}).Fields() {
		if f.Tag == 3 {
			local = f.Value
		}
	}
	parts := strings.SplitN(local, " ", 3)
	rel, ok := strings.CutPrefix(parts[len(parts)-1], "/wais/docs/")
	if !ok {
		return
	}
	var start int
	fmt.Sscan(parts[0], &start)
	start += int(q.Retrieve.Start)
	name := database + "/" + rel
	if files[name] == nil {
		files[name] = &fstest.MapFile{}
	}
	f := files[name]
	if missing := start + len(data) - len(f.Data); missing > 0 {
		f.Data = append(f.Data, make([]byte, missing)...)
	}
	copy(f.Data[start:], data)
}

// The requests of clients of the time are answered as the server of the time has answered them, byte
// for byte; so are refusals, empty answers, and the requests over which that server came down.
func TestAnswersAreTheRecordedOnes(t *testing.T) {
	captures, files := recorded(t)
	server := waistest.NewServer(files, waistest.NoCatalog("nocat"))
	defer server.Close()
	compared := 0
	for name, messages := range captures {
		if strings.HasPrefix(name, "multitype") || name == "encoding-h" {
			continue // a document that is not in one file, and a coding of which we know nothing
		}
		c := dial(t, server)
		for i := 0; i < len(messages); i += 2 {
			got := c.send(messages[i].Octets)
			if i+1 == len(messages) {
				if got != nil {
					t.Errorf("%s: an answer where the connection was closed: %q", name, got)
				}
				continue
			}
			want := messages[i+1].Octets
			if comparable(t, messages[i].Octets, want) {
				compared++
				if !bytes.Equal(got, want) {
					t.Errorf("%s: request %d is answered\n%.300q, recorded is\n%.300q", name, i/2, got, want)
				}
			}
		}
	}
	if compared < 60 {
		t.Errorf("%d answers were compared", compared)
	}
	t.Logf("%d answers were compared", compared)
}

// comparable reports whether a server with the same documents must give the very
// answer: that to Init has names in it, that to words is a matter of judgement, and
// a description is the server's own.
func comparable(t *testing.T, request, answer []byte) bool {
	if len(answer) == apdu.HeaderSize {
		return true
	}
	q, err := apdu.ParseSearch(request[apdu.HeaderSize:])
	if err != nil {
		return false
	}
	a, err := apdu.ParseResponse(answer[apdu.HeaderSize:])
	if err != nil {
		t.Fatal(err)
	}
	return q.Retrieve != nil && q.Retrieve.Type != "WSRC" || q.Words != nil && len(a.Hits) == 0
}

func TestSearch(t *testing.T) {
	files := fstest.MapFS{
		"db/one.txt": {Data: []byte("One\n\napple apple pear\n"), ModTime: time.Date(1994, 5, 6, 0, 0, 0, 0, time.UTC)},
		"db/two.txt": {Data: []byte("Two\n\napple\n")},
		"db/x.gif":   {Data: []byte("GIF87a apple")},
	}
	server := waistest.NewServer(files)
	defer server.Close()
	c := dial(t, server)
	search := func(words string, most int64) *apdu.Response {
		answer := c.ask(&apdu.Search{Database: "db", Words: &apdu.Words{SeedWords: words, DateFactor: 1, MaxDocuments: most}})
		r, err := apdu.ParseResponse(answer[apdu.HeaderSize:])
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := search("APPLE", 40)
	if len(r.Hits) != 3 || r.Status != 1 || r.Returned != 3 || r.Hits[0].Headline != "One" || r.Hits[0].Score != 1000 || r.Hits[1].Score != 500 ||
		r.Hits[0].Date != "940506" || r.Hits[1].Date != "0" || r.Hits[0].Lines != 3 || r.Hits[2].Types[0] != "GIF" || r.Hits[2].Headline != "x.gif" {
		t.Errorf("%+v", r)
	}
	if r := search("apple", 2); len(r.Hits) != 2 {
		t.Errorf("%d hits, want 2", len(r.Hits))
	}
	if r := search("zzyzx", 40); len(r.Hits) != 1 || r.Hits[0].Score != 0 || !strings.HasPrefix(r.Hits[0].Headline, "Search produced no result") {
		t.Errorf("%+v", r)
	}
	if r := search("", 40); len(r.Hits) != 2 || r.Hits[0].Types[0] != "WSRC" {
		t.Errorf("%+v", r)
	}
	if got := server.Transcript(); len(got) != 4 || got[0] != `Search "db" "APPLE" 40` {
		t.Errorf("%q", got)
	}
}

// A second request before the answer to the first is the end.
func TestPipelining(t *testing.T) {
	server := waistest.NewServer(fstest.MapFS{"db/x.txt": {}})
	defer server.Close()
	c := dial(t, server)
	m := apdu.Plain.Append(nil, (&apdu.Search{Database: "db", Words: &apdu.Words{MaxDocuments: 2}}).Append(nil))
	if got := c.send(append(m, m...)); got != nil {
		t.Errorf("%q", got)
	}
}

// Close ends a server in any state.
func TestClose(t *testing.T) {
	server := waistest.NewServer(fstest.MapFS{"db/x.txt": {}}, waistest.Faults(waistest.Fault{Command: waistest.Init, Do: waistest.Stall}))
	c := dial(t, server)
	c.Write(apdu.Plain.Append(nil, (&apdu.Init{Options: apdu.OptionSearch, MaximumRecordSize: 1000}).Append(nil)))
	if _, err := io.ReadFull(c, make([]byte, apdu.HeaderSize)); err != nil {
		t.Fatal(err)
	}
	server.Close()
	server.Close()
	if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
}
