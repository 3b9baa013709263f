package http_test

import (
	"context"
	"io/fs"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/fstest"

	"golang.org/x/net/webdav"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

var tree = fstest.MapFS{
	"poem.txt":      {Data: content[:1000], ModTime: changed},
	"deep/a/b.html": {Data: []byte("<p>b\n"), ModTime: changed},
	"100% #1;a&b?":  {Data: []byte("odd\n"), ModTime: changed},
	"c:d":           {Data: []byte("colon\n"), ModTime: changed},
	"naïve":         {ModTime: changed},
}

func TestTree(t *testing.T) {
	server := webtest.NewServer(tree)
	defer server.Close()
	conformance.Tree(t, new(http.Fetcher), parse(t, server.URL), tree)
}

// TestTreeWithoutRanges uses a server that ignores ranges.
func TestTreeWithoutRanges(t *testing.T) {
	files := nethttp.FileServerFS(tree)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		r.Header.Del("Range")
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	conformance.Tree(t, new(http.Fetcher), parse(t, server.URL+"/"), tree)
}

func TestTreeOfWebDAV(t *testing.T) {
	ctx := context.Background()
	files := webdav.NewMemFS()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() {
			files.Mkdir(ctx, "/"+name, 0o700)
			return err
		}
		f, err := files.OpenFile(ctx, "/"+name, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		f.Write(tree[name].Data)
		return f.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&webdav.Handler{Prefix: "/dav", FileSystem: files, LockSystem: webdav.NewMemLS()})
	defer server.Close()
	conformance.Tree(t, new(http.Fetcher), parse(t, server.URL+"/dav/"), tree)
}
