package file_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

func TestConformance(t *testing.T) {
	dir := tree(t)
	content := bytes.Repeat([]byte("the quick brown fox\r\n"), 5000)
	if err := os.WriteFile(filepath.Join(dir, "fox.txt"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	conformance.Run(t, conformance.Target{
		Fetcher:   &file.Fetcher{},
		Document:  urlOf(dir, "/fox.txt"),
		Content:   content,
		Missing:   urlOf(dir, "/missing.txt"),
		Directory: urlOf(dir, "/"),
	})
}

// urlOf returns the file URL of a name below a local directory.
func urlOf(dir, name string) *url.URL {
	path := filepath.ToSlash(dir)
	if path[0] != '/' {
		path = "/" + path // C:/dir
	}
	return url.File{Path: path + name}.URL()
}

// tree creates a directory with every kind of file that all systems support.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sub/leaf.txt", "hello.txt", "a blank.txt", "number#1.txt", "100%.html", "%41", "日本.txt", "none"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("content of "+filepath.Base(name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTree(t *testing.T) {
	dir := tree(t)
	conformance.Tree(t, &file.Fetcher{}, urlOf(dir, ""), os.DirFS(dir))
}
