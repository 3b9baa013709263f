package sftp_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
	"github.com/seed1ea3422f/fetch/url"
)

var (
	content  = bytes.Repeat([]byte("all that glitters is not gold\r\n"), 10_000)
	modified = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

	files = fstest.MapFS{
		"pub/poem.txt":     {Data: content, ModTime: modified},
		"pub/empty":        {ModTime: modified},
		"pub/short":        {Data: []byte("short\n"), ModTime: modified},
		"pub/a b\n%;c":     {Data: []byte("odd\n"), ModTime: modified, Mode: 0o640},
		"pub/link":         {Data: []byte("poem.txt"), Mode: fs.ModeSymlink | 0o777},
		"pub/fifo":         {Mode: fs.ModeNamedPipe | 0o600},
		"pub/deep/a/b.txt": {Data: []byte("b\r\n"), ModTime: modified},
	}
)

// knowing returns a Fetcher that knows the keys of servers.
func knowing(t testing.TB, servers ...*sftptest.Server) *sftp.Fetcher {
	t.Helper()
	name := filepath.Join(t.TempDir(), "known_hosts")
	var lines string
	for _, s := range servers {
		lines += s.KnownHosts()
	}
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &sftp.Fetcher{KnownHosts: sftp.NewKnownHosts(name)}
	t.Cleanup(f.CloseIdle)
	return f
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestConformance(t *testing.T) {
	server := sftptest.NewServer(files)
	defer server.Close()
	stalled := sftptest.NewServer(files, sftptest.Faults(sftptest.Fault{After: 100_000, Do: sftptest.Stall}))
	defer stalled.Close()
	cut := sftptest.NewServer(files, sftptest.Faults(sftptest.Fault{After: 100_000, Do: sftptest.Cut}))
	defer cut.Close()
	conformance.Run(t, conformance.Target{
		Fetcher:   knowing(t, server, stalled, cut),
		Document:  parse(t, server.URL+"/pub/poem.txt"),
		Content:   content,
		Missing:   parse(t, server.URL+"/pub/nope"),
		Directory: parse(t, server.URL+"/pub"),
		Stalled:   func(t *testing.T) *url.URL { return parse(t, stalled.URL+"/pub/poem.txt") },
		Cut:       func(t *testing.T) *url.URL { return parse(t, cut.URL+"/pub/poem.txt") },
	})
}

func TestTree(t *testing.T) {
	files := fstest.MapFS{
		"pub/poem.txt":     {Data: content[:93], ModTime: modified},
		"pub/poem.bin":     {Data: content[:95], ModTime: modified},
		"pub/deep/a/b.txt": {Data: []byte("b\r\n"), ModTime: modified},
	}
	sub, err := fs.Sub(files, "pub")
	if err != nil {
		t.Fatal(err)
	}
	server := sftptest.NewServer(files)
	defer server.Close()
	conformance.Tree(t, knowing(t, server), parse(t, server.URL+"/pub"), sub)
}
