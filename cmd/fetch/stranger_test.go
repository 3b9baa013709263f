package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A Metalink that names a directory is from a stranger, and so is each message in the directory:
// --decode sends no login of a netrc for it.
func TestDecodeGivesStrangersNoLogin(t *testing.T) {
	files := fstest.MapFS{"dir/m.eml": {Data: []byte("Subject: x\r\n\r\nx\r\n"), Mode: 0o644}}
	lists := ftptest.NewServer(files)
	defer lists.Close()
	asks := ftptest.NewServer(files, ftptest.NoAnonymous(), ftptest.User("joe", "s3cret"))
	defer asks.Close()
	addr := inTurn(t, lists.Addr, asks.Addr)
	t.Chdir(t.TempDir())
	meta := fmt.Sprintf(`<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f"><url>ftp://%s/dir/</url></file></metalink>`, addr)
	for name, text := range map[string]string{"m.meta4": meta, "netrc": "machine 127.0.0.1 login joe password s3cret\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, _, stderr := command("--netrc-file", "netrc", "--retry", "0", "--decode", "-i", "m.meta4")
	transcript := strings.Join(asks.Transcript(), "\n")
	if status == 0 || !strings.Contains(transcript, "USER anonymous") || strings.Contains(transcript, "joe") || strings.Contains(transcript, "s3cret") {
		t.Errorf("status %d: %s\n%s", status, stderr, transcript)
	}
}

// inTurn starts a relay that passes its first connection to the server first, and later ones to
// rest. It returns the address of the relay.
func inTurn(t *testing.T, first, rest string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { listener.Close(); all.Wait() })
	all.Go(func() {
		for to := first; ; to = rest {
			ours, err := listener.Accept()
			if err != nil {
				return
			}
			theirs, err := net.Dial("tcp", to)
			if err != nil {
				ours.Close()
				return
			}
			for _, way := range [][2]net.Conn{{ours, theirs}, {theirs, ours}} {
				all.Go(func() {
					io.Copy(struct{ io.Writer }{way[0]}, way[1]) // without splice, whose pipes stay open
					way[0].Close()
					way[1].Close()
				})
			}
		}
	})
	return listener.Addr().String()
}
