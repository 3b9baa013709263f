package s3_test

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/s3test"
	"github.com/seed1ea3422f/fetch/url"
)

var (
	content  = bytes.Repeat([]byte("all that glitters is not gold\r\n"), 10_000)
	modified = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

	files = fstest.MapFS{
		"bucket/pub/poem.txt":     {Data: content, ModTime: modified},
		"bucket/pub/empty":        {ModTime: modified},
		"bucket/pub/short":        {Data: []byte("short\n"), ModTime: modified},
		"bucket/pub/a b\n%;c+d":   {Data: []byte("odd\n"), ModTime: modified},
		"bucket/pub/deep/a/b.txt": {Data: []byte("b\r\n"), ModTime: modified},
		"dotted.name/a":           {Data: []byte("dotted\n"), ModTime: modified},
	}
	keys = s3.Credentials{AccessKey: "AKIDEXAMPLE", SecretKey: "s3cret/+key"}
)

// A whole is an s3.Fetcher with its own http.Fetcher.
type whole struct {
	s3.Fetcher
	web *http.Fetcher
}

func (w *whole) CloseIdle() { w.web.CloseIdle() }

// at returns a Fetcher for the endpoint of a server.
func at(t testing.TB, endpoint string) *whole {
	t.Helper()
	web := new(http.Fetcher)
	t.Cleanup(web.CloseIdle)
	return &whole{s3.Fetcher{HTTP: web, Account: s3.Account{Endpoint: parse(t, endpoint)}.ForAll}, web}
}

// signing returns a Fetcher that signs its requests.
func signing(t testing.TB, endpoint string) *whole {
	t.Helper()
	f := at(t, endpoint)
	f.Account = s3.Account{Endpoint: parse(t, endpoint), Credentials: keys}.ForAll
	return f
}

func parse(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestConformance(t *testing.T) {
	server := s3test.NewServer(files, s3test.User(keys.AccessKey, keys.SecretKey), s3test.PageSize(2), s3test.Faults(
		s3test.Fault{Path: "bucket/pub/deep/stalled", After: 100_000, Do: s3test.Stall},
		s3test.Fault{Path: "bucket/pub/deep/cut", After: 100_000, Do: s3test.Cut},
		s3test.Fault{Path: "bucket/pub/silent", Do: s3test.Silence},
	), s3test.Object("bucket", "pub/deep/stalled", "", string(content)), s3test.Object("bucket", "pub/deep/cut", "", string(content)))
	defer server.Close()
	conformance.Run(t, conformance.Target{
		Fetcher:   signing(t, server.URL),
		Document:  parse(t, "s3://bucket/pub/poem.txt"),
		Content:   content,
		Missing:   parse(t, "s3://bucket/pub/nope"),
		Directory: parse(t, "s3://bucket/pub/"),
		Stalled:   func(t *testing.T) *url.URL { return parse(t, "s3://bucket/pub/deep/stalled") },
		Silent:    func(t *testing.T) *url.URL { return parse(t, "s3://bucket/pub/silent") },
		Cut:       func(t *testing.T) *url.URL { return parse(t, "s3://bucket/pub/deep/cut") },
	})
}

func TestTree(t *testing.T) {
	files := fstest.MapFS{
		"bucket/pub/poem.txt":     {Data: content[:93], ModTime: modified},
		"bucket/pub/poem.bin":     {Data: content[:95], ModTime: modified},
		"bucket/pub/deep/a/b.txt": {Data: []byte("b\r\n"), ModTime: modified},
	}
	sub, err := fs.Sub(files, "bucket/pub")
	if err != nil {
		t.Fatal(err)
	}
	server := s3test.NewServer(files, s3test.PageSize(1))
	defer server.Close()
	conformance.Tree(t, at(t, server.URL), parse(t, "s3://bucket/pub/"), sub)
}

func fetch(t *testing.T, f fetchers.Fetcher, req fetchers.Request, text string) (*fetchers.Resource, error) {
	t.Helper()
	req.URL = parse(t, text)
	res, err := f.Fetch(t.Context(), &req)
	if err == nil {
		t.Cleanup(func() { res.Close() })
	}
	return res, err
}
