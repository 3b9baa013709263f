package z3950_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/url"
)

// content is several times larger than a read buffer.
var content = bytes.Repeat([]byte("Apples and pears grow in the orchard.\n"), 1500)

// marcOf returns a MARC record with an author and a title.
func marcOf(author, title string) []byte {
	fields := []string{"001 42", "100 1 \x1Fa" + author, "245 10\x1Fa" + title}
	var directory, data strings.Builder
	for _, f := range fields {
		text := f[4:] + "\x1E"
		fmt.Fprintf(&directory, "%s%04d%05d", f[:3], len(text), data.Len())
		data.WriteString(text)
	}
	base := 24 + directory.Len() + 1
	return fmt.Appendf(nil, "%05dnam a22%05d a 4500%s\x1E%s\x1D", base+data.Len()+1, base, &directory, &data)
}

const (
	dublin = `<dc xmlns="http://purl.org/dc/elements/1.1/"><creator>Mendel</creator><title>Peas &amp; beans</title></dc>`
	grs    = "\x30\x80\x30\x0D\x02\x01\x02\x82\x01\x01\xA4\x05\x80\x03abc\x00\x00"
)

var files = fstest.MapFS{
	"garden/apple.txt":  {Data: content},
	"garden/bees.mrc":   {Data: marcOf("Virgil,", "Georgics. Keeping bees in an orchard /")},
	"garden/peas.xml":   {Data: []byte(dublin)},
	"garden/tag.grs":    {Data: []byte(grs)},
	"garden/a b;c=d":    {Data: []byte("odd name\n")},
	"plants/moss.txt":   {Data: []byte("\n  Moss\nand lichen in the orchard\n")},
	"plants/empty.txt":  {},
	"many/broken.mrc":   {Data: []byte("no record of honey")},
	"untitled/none.xml": {Data: []byte("<a>honey</a>")},
}

func init() {
	for i := range 50 {
		files[fmt.Sprintf("many/%02d.mrc", i)] = &fstest.MapFile{Data: marcOf("Honey, H.", fmt.Sprintf("Volume %02d", i))}
	}
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func serve(t testing.TB, opts ...z3950test.Option) *z3950test.Server {
	t.Helper()
	server := z3950test.NewServer(files, opts...)
	t.Cleanup(server.Close)
	return server
}

// record returns the URL of a record of a server.
func record(t testing.TB, server *z3950test.Server, rest string) *url.URL {
	return parse(t, "z39.50r://"+server.Addr+rest)
}

func get(t testing.TB, f *z3950.Fetcher, u *url.URL) (*fetchers.Resource, string, error) {
	t.Helper()
	t.Cleanup(f.CloseIdle)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
	if err != nil {
		return nil, "", err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

func list(t testing.TB, f *z3950.Fetcher, u *url.URL) ([]fetchers.Entry, error) {
	t.Helper()
	t.Cleanup(f.CloseIdle)
	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u})
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
