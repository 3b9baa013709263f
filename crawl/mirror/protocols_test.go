package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

// All protocols with listings are mirrored in the same way: directories, menus and newsgroups.
func TestProtocols(t *testing.T) {
	files := fstest.MapFS{"pub/a.txt": {Data: []byte("a\n"), ModTime: old}, "pub/d/b.bin": {Data: []byte("b\x00"), ModTime: old}}
	gopher := gophertest.NewServer(files)
	t.Cleanup(gopher.Close)
	news := nntptest.NewServer(os.DirFS("../../testdata/news"))
	t.Cleanup(news.Close)
	ssh := sftptest.NewServer(files)
	t.Cleanup(ssh.Close)
	local := t.TempDir()
	if err := os.CopyFS(local, files); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pub/a.txt", "pub/d/b.bin"} { // a recent change may repeat in the same second
		if err := os.Chtimes(filepath.Join(local, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for name, root := range map[string]string{
		"gopher": gopher.URL + "/1pub", "news": news.URL + "/test.misc", "sftp": ssh.URL + "/~/pub/", "file": "file://" + filepath.ToSlash(local) + "/pub/",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mirror := func() *Mirror {
				m := newMirror(t, dir)
				r := new(fetchers.Registry)
				r.Register(m.Fetcher, "gopher", "http")
				r.Register(&file.Fetcher{}, "file")
				r.Register(&nntp.Fetcher{}, "nntp", "news")
				r.Register(&sftp.Fetcher{AcceptNew: func(*sftp.HostKeyError, string) error { return nil }}, "sftp")
				t.Cleanup(r.CloseIdle)
				m.Fetcher, m.Saver.Fetcher = r, r
				return m
			}
			first := changes(t, mirror(), root)
			t.Log(first)
			got := filesIn(t, dir)
			if name == "news" {
				if len(got) < 2 {
					t.Errorf("articles %q", got)
				}
			} else {
				text := ""
				for file, body := range got {
					if strings.HasSuffix(file, "a.txt") || strings.HasSuffix(file, "b.bin") {
						text += body
					}
				}
				if len(text) != 4 {
					t.Errorf("files %q", got)
				}
			}
			for _, line := range changes(t, mirror(), root) {
				if strings.HasPrefix(line, "added") || strings.HasPrefix(line, "failed") || strings.HasPrefix(line, "gone") || name != "gopher" && strings.HasPrefix(line, "changed") {
					t.Errorf("again: %s", line)
				}
			}
		})
	}
}
