package clienttests

import (
	"errors"
	"io"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
)

// A fault of pub/bad.iso is an error of Get. Get returns the whole of pub/good.iso.
func TestDownloads(t *testing.T) {
	files := fstest.MapFS{"pub/good.iso": {Data: make([]byte, 100_000)}, "pub/bad.iso": {Data: make([]byte, 100_000)}}
	for _, f := range []ftptest.Fault{
		{After: 1000, Do: ftptest.Say426},
		{After: 1000, Do: ftptest.Lie226},
		{Do: ftptest.Extra},
		{Do: ftptest.Say425},
		{Command: "SIZE", Do: ftptest.Say451},
		{After: 1000, Do: ftptest.Reset},
	} {
		t.Run(f.String(), func(t *testing.T) {
			f.Path = "pub/bad.iso"
			server := ftptest.New(t, files, ftptest.Faults(f))
			c := login(t, server, "anonymous", "me@example.org")
			if _, err := c.Get("pub/bad.iso"); err == nil {
				t.Error("the client does not notice")
			}
			if got, err := c.Get("pub/good.iso"); len(got) != 100_000 || err != nil {
				t.Errorf("another file on the same connection: %d octets, %v", len(got), err)
			}
		})
	}
}

// An upload is stored. An upload that fails is an error of the client.
func TestUploads(t *testing.T) {
	for _, f := range []ftptest.Fault{
		{Path: "full", After: 3, Do: ftptest.Say552},
		{Path: "short", After: 3, Do: ftptest.Lie226},
		{Path: "silent", After: 3, Do: ftptest.Cut},
	} {
		t.Run(f.Path, func(t *testing.T) {
			root, err := os.OpenRoot(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			f.Command = "STOR"
			server := ftptest.New(t, root.FS(), ftptest.Store(root), ftptest.Faults(f))
			defer server.Close() // before its directory
			c := login(t, server, "anonymous", "me@example.org")
			if err := c.Put("well", []byte("hello")); err != nil {
				t.Error(err)
			}
			if got, err := root.ReadFile("well"); string(got) != "hello" || err != nil {
				t.Errorf("stored is %q, %v", got, err)
			}
			if err := c.Put(f.Path, []byte("hello")); err == nil {
				t.Error("the client does not notice")
			}
			if got, err := root.ReadFile(f.Path); string(got) != "hel" || err != nil {
				t.Errorf("stored is %q, %v", got, err)
			}
			for _, r := range server.Requests() {
				if r.Command == "STOR" && r.Path != "well" && r.Path != f.Path {
					t.Errorf("the client has changed %s", r.Path)
				}
			}
		})
	}
}

// A fault of article 2 is an error of Article. Article returns the whole of article 1.
func TestNews(t *testing.T) {
	files := fstest.MapFS{"test.misc/1": {Data: []byte("Subject: one\n\n.hello\n")}, "test.misc/2": {Data: []byte("Subject: two\n\nhello\n")}}
	for f, want := range map[nntptest.Fault]error{
		{After: 20, Do: nntptest.Cut}:                       io.ErrUnexpectedEOF,
		{After: 20, Do: nntptest.Cut, Once: true}:           io.ErrUnexpectedEOF,
		{Do: nntptest.Say403}:                               &textproto.Error{Code: 403, Msg: "Internal fault."},
		{Command: "GROUP", Do: nntptest.Say400, Once: true}: &textproto.Error{Code: 400, Msg: "Service discontinued."},
	} {
		t.Run(f.String(), func(t *testing.T) {
			if f.Command == "" {
				f.Path = "test.misc/2"
			}
			server := nntptest.New(t, files, nntptest.Faults(f))
			for _, number := range []string{"2", "1"} {
				c, err := DialNNTP(server.Addr)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				lines, err := c.Article("test.misc", number)
				switch {
				case number == "2" && !same(err, want):
					t.Errorf("article 2: %v, want %v", err, want)
				case number == "1" && (err != nil || !strings.HasSuffix(strings.Join(lines, "\n"), "\n\n.hello")):
					t.Errorf("article 1: %q, %v", lines, err)
				}
			}
		})
	}
}

// TestFunctions: a server with logins and replies of its own, which is busy once.
func TestFunctions(t *testing.T) {
	asked := 0
	server := ftptest.New(t, fstest.MapFS{"a": {Data: []byte("hello")}},
		ftptest.Login(func(name, password string) bool { return password == strings.ToUpper(name) }),
		ftptest.ReplyFunc("RETR", func(r ftptest.Request) (string, bool) {
			asked++
			return "450 " + r.User + ", try again.", asked == 1
		}),
	)
	if _, err := DialFTP(server.Addr, "joe", "joe"); err == nil {
		t.Error("a wrong password is good")
	}
	c := login(t, server, "joe", "JOE")
	if _, err := c.Get("a"); !same(err, &textproto.Error{Code: 450, Msg: "joe, try again."}) {
		t.Errorf("a busy server: %v", err)
	}
	if got, err := c.Get("a"); string(got) != "hello" || err != nil {
		t.Errorf("the second time: %q, %v", got, err)
	}
}

func login(t *testing.T, server *ftptest.Server, user, password string) *FTP {
	t.Helper()
	c, err := DialFTP(server.Addr, user, password)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// same reports whether two errors are equal. Replies of servers are equal if their texts are.
func same(err, want error) bool {
	var got, wanted *textproto.Error
	if errors.As(err, &got) && errors.As(want, &wanted) {
		return *got == *wanted
	}
	return errors.Is(err, want)
}
