package interop

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/url"
)

// No real server of Prospero is available. The targets of its names are: the names of prosperotest
// lead to files on real FTP servers.
func TestProsperoLeadsToFTP(t *testing.T) {
	forEach(t, []string{"vsftpd", "proftpd", "pure-ftpd", "pyftpdlib", "ftptest"}, func(t *testing.T, server servers.Instance) {
		prospero := prosperoFor(t, server)
		client := newClient(t)
		for name, path := range map[string]string{
			"/pros/hello": "hello.txt", "/pros/text": "hello.txt", "/pros/it's a blank": "a%20blank.txt", "/pros/big": "5m.bin",
		} {
			want := onDisk(t, server, path)
			what := url.Prospero{Authority: parse(t, prospero.URL).Authority, HSOName: name}
			res, got := get(t, client, what.URL().String())
			if !bytes.Equal(got, want) || res.URL.Scheme != "ftp" || !res.Confirmed() {
				t.Errorf("%s: %d octets from %s, want %d", name, len(got), res.URL, len(want))
			}
		}
		checkNames(t, client, servers.Instance{Tree: prospero.URL, Root: server.Root}, "//pros/deep", []string{"file.txt"})
		if _, err := client.Get(t.Context(), prospero.URL+"//pros/gone"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what is gone: %v, want fs.ErrNotExist", err)
		}

		// A directory of names shows the places, which can be fetched.
		res, err := client.Get(t.Context(), prospero.URL+"//pros")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		var schemes []string
		for e, err := range res.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			schemes = append(schemes, e.URL.Scheme)
			if _, got := get(t, client, e.URL.String()); !bytes.Equal(got, onDisk(t, server, "hello.txt")) {
				t.Errorf("%s: %q", e.URL, got)
			}
		}
		if want := []string{"ftp", "prospero", "prospero"}; !slices.Equal(schemes, want) {
			t.Errorf("the entries lead to %q, want %q", schemes, want)
		}
	})
}

// prosperoFor returns a server of Prospero whose names are places on another server.
func prosperoFor(t *testing.T, server servers.Instance) *prosperotest.Server {
	t.Helper()
	hello, err := os.ReadFile(server.Root + "/hello.txt")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(parse(t, server.Tree).Addr())
	if err != nil {
		t.Fatal(err)
	}
	at := host + "(" + port + ")"
	place := func(path, mode string) prosperotest.Object {
		return prosperotest.Object{Methods: [][]string{{"LOCAL", "", "", "", ""}, {"AFTP", "INTERNET-D", at, "ASCII", path, mode}}}
	}
	s := prosperotest.NewServer(prosperotest.Names{
		"/pros/hello":        place("/hello.txt", "BINARY"),
		"/pros/text":         place("hello.txt", "TEXT"),
		"/pros/it's a blank": place("/a blank.txt", "BINARY"),
		"/pros/big":          place("/5m.bin", "BINARY"),
		"/pros/deep":         place("/deep/a/b/c", "DIRECTORY"),
		"/pros/gone":         place("/nope", "BINARY"),
		"/pros/copy":         {Contents: hello},
		"/pros": {Links: []prosperotest.Link{
			{Name: "there", Target: "EXTERNAL", Host: at, HSOName: "/hello.txt", Attributes: []string{"CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' BINARY"}},
			{Name: "there too", HSOName: "/pros/hello"},
			{Name: "here", HSOName: "/pros/copy"},
		}},
	})
	t.Cleanup(s.Close)
	return s
}
