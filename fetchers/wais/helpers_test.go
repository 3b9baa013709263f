package wais_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/url"
)

var content = bytes.Repeat([]byte("Apples and pears grow in the orchard.\n"), 2000) // eight chunks

var when = time.Date(1994, 5, 6, 0, 0, 0, 0, time.UTC)

var files = fstest.MapFS{
	"garden/apple.txt":   {Data: content, ModTime: when},
	"garden/bees.txt":    {Data: []byte("Keeping bees\n\nHoney is taken in August. Bees like apples.\n"), ModTime: when},
	"garden/page.html":   {Data: []byte("<p>An orchard</p>\n")},
	"garden/ten.txt":     {Data: bytes.Repeat([]byte("0123456789"), 1000)},
	"garden/empty.txt":   {},
	"multi/graft.txt":    {Data: []byte("Graft story\n\nA scion.\n")},
	"multi/graft.gif":    {Data: bytes.Repeat([]byte("GIF87a\x00\xff\x1b"), 2500)},
	"multi/graft.html":   {Data: []byte("<p>A scion</p>\n")},
	"odd/a b;c=d%41.txt": {Data: []byte("Odd\n")},
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// place returns the URL of a document on the test server.
func place(t testing.TB, server *waistest.Server, database, kind, local string) *url.URL {
	t.Helper()
	u := parse(t, server.URL+"/"+database)
	id := fmt.Sprintf("\x02%c%s\x03%c%s\x07\x01\x00", len(database), database, len(local), local)
	return url.WAIS{Authority: u.Authority, Database: database, WType: kind, WPath: id}.URL()
}

func serve(t testing.TB, opts ...waistest.Option) *waistest.Server {
	t.Helper()
	server := waistest.NewServer(files, append([]waistest.Option{waistest.Families("multi")}, opts...)...)
	t.Cleanup(server.Close)
	return server
}

func get(t testing.TB, f *wais.Fetcher, u *url.URL) (*fetchers.Resource, []byte, error) {
	t.Helper()
	t.Cleanup(f.CloseIdle)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
	if err != nil {
		return nil, nil, err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

func list(t testing.TB, f *wais.Fetcher, u *url.URL, like ...*url.URL) ([]fetchers.Entry, error) {
	t.Helper()
	t.Cleanup(f.CloseIdle)
	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u, Like: like})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var all []fetchers.Entry
	for e, err := range res.Entries() {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}
