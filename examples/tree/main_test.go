package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTree prints the same tree from a directory and by three protocols.
func TestTree(t *testing.T) {
	files := fstest.MapFS{
		"pub/a.txt":       {Data: []byte("a\n")},
		"pub/deep/b.txt":  {Data: []byte("b\n")},
		"pub/deep/er/c c": {Data: []byte("c\n")},
		"pub/z":           {},
	}
	const want = "a.txt\ndeep\n  b.txt\n  er\n    c c\nz\n"
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	ftp, gopher, web := ftptest.NewServer(files), gophertest.NewServer(files), webtest.NewServer(files)
	defer ftp.Close()
	defer gopher.Close()
	defer web.Close()
	for _, root := range []string{
		url.FileOf(filepath.ToSlash(dir)).URL().String() + "/pub", ftp.URL + "/pub", web.URL + "/pub", gopher.URL + "/1/pub",
	} {
		var out strings.Builder
		if err := tree(t.Context(), root, &out); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", root, err, &out, want)
		}
	}
	if err := tree(t.Context(), ftp.URL+"/missing", new(strings.Builder)); err == nil {
		t.Error("a directory that is missing has a tree")
	}
}
