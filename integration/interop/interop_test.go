// Package interop holds the protocols against the real servers of integration/real: the
// same URLs as a user would type, the files on disk as the truth. Its tests skip unless
// FETCH_REAL is set (see package servers): "required" fails if a server is not up, "up"
// uses the servers that are up.
package interop

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/url"
)

// everyone are the servers that have the tree.
var everyone = []string{
	"nginx", "apache", "caddy", "lighttpd", "h2o", "busybox", "haproxy", "varnish", "hitch",
	"vsftpd", "vsftpd-ftps", "proftpd", "pure-ftpd", "pyftpdlib", "linux-ftpd", "ftptest",
	"openssh", "dropbear", "sftptest",
}

// documents are the files of the tree, as they stand in a URL.
var documents = []string{
	"hello.txt", "crlf.txt", "empty.dat", "100k.bin", "5m.bin", "deep/a/b/c/file.txt",
	"a%20blank.txt", "100%25.txt", "%2541.txt", "number%231.txt", "semi%3Btype=a", "what%3F.txt",
	"star*.txt", "r%C3%A9sum%C3%A9.txt", "%E6%97%A5%E6%9C%AC.txt", "-dash.txt",
}

// forEach runs a test with each of the named servers.
func forEach(t *testing.T, names []string, test func(t *testing.T, server servers.Instance)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			switch name {
			case "ftptest":
				test(t, ourOwn(t))
			case "gophertest":
				test(t, ourGopher(t))
			case "geminitest":
				test(t, ourGemini(t))
			case "sftptest":
				test(t, ourSFTP(t))
			case "linux-ftpd", "openssh", "dropbear":
				test(t, loggedIn(t, servers.Need(t, name)))
			default:
				test(t, servers.Need(t, name))
			}
		})
	}
}

// loggedIn returns the server with the user's name and password in the URL of the tree.
// Strangers get no listing from linux-ftpd: they are shut in a directory without an ls.
func loggedIn(t *testing.T, server servers.Instance) servers.Instance {
	server.Tree = as(server, t, server.Password).String()
	return server
}

// ourOwn returns integration/ftptest with the tree of the others.
func ourOwn(t *testing.T) servers.Instance {
	t.Helper()
	like := servers.Need(t, "vsftpd")
	server := ftptest.NewServer(os.DirFS(like.Root), ftptest.User(like.User, like.Password), ftptest.StartTLS(), ftptest.RequireReuse(),
		ftptest.Reply("RETR noperm.txt", "550 Permission denied.")) // root may read everything
	t.Cleanup(server.Close)
	trusted = server.Certificate()
	like.Name, like.URL, like.Tree = "ftptest", server.URL, server.URL
	return like
}

func TestDocuments(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for _, path := range documents {
			want := onDisk(t, server, path)
			res, got := get(t, client, server.Tree+"/"+path)
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes that are not the %d on disk", path, len(got), len(want))
			}
			if res.Kind != fetchers.Document || res.Size != int64(len(want)) || !res.Confirmed() || res.Received() != res.Size {
				t.Errorf("%s: %v of size %d, confirmed %v, received %d; want a document of %d", path, res.Kind, res.Size, res.Confirmed(), res.Received(), len(want))
			}
		}
		if res, _ := get(t, client, server.Tree+"/hello.txt"); !res.Validator.ModTime.Equal(servers.HelloTime) {
			t.Errorf("hello.txt is of %v, want %v", res.Validator.ModTime, servers.HelloTime)
		}
	})
}

func TestRanges(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		u := parse(t, server.Tree+"/100k.bin")
		want := onDisk(t, server, "100k.bin")
		size := int64(len(want))
		ranges := []fetchers.Range{{Offset: 1}, {Offset: size - 1}, {Offset: 5, Length: 10}, {Offset: 5000, Length: size}, {Offset: -7}, {Length: 1}}
		if server.Name == "busybox" {
			ranges = ranges[:4] // it sends the whole for the others, and beyond the end
		}
		for _, r := range ranges {
			res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u, Range: r})
			if err != nil {
				t.Errorf("%+v: %v", r, err)
				continue
			}
			got, err := io.ReadAll(res.Body)
			res.Close()
			part, _ := r.In(size)
			if err != nil || res.Range != part || !bytes.Equal(got, want[part.Offset:][:part.Length]) {
				t.Errorf("%+v: %d bytes, which are %+v, error %v", r, len(got), res.Range, err)
			}
		}
		beyond, err := client.Fetch(t.Context(), &fetchers.Request{URL: u, Range: fetchers.Range{Offset: size + 1}})
		if server.Name == "busybox" && err == nil {
			defer beyond.Close()
			if beyond.Range != (fetchers.Range{}) || beyond.Size != size {
				t.Errorf("a range beyond the end: %+v of %d bytes, want the whole", beyond.Range, beyond.Size)
			}
			return
		}
		if !errors.Is(err, fetchers.ErrRange) {
			t.Errorf("a range beyond the end: %v, want ErrRange", err)
		}
	})
}

func TestUnchanged(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		first, _ := get(t, client, server.Tree+"/hello.txt")
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: first.URL, Have: first.Validator})
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		if res.Kind != fetchers.Unchanged {
			t.Errorf("it is %v, want unchanged", res.Kind)
		}
	})
}

func TestMissing(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for _, path := range []string{"/nope", "/nope/", "/nope/nope"} {
			res, err := client.Get(t.Context(), server.Tree+path)
			if err == nil {
				res.Close()
			}
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want fs.ErrNotExist", path, err)
			}
		}
	})
}

// The promises of a Fetcher hold with servers that are not our own.
func TestConformance(t *testing.T) {
	forEach(t, everyone, func(t *testing.T, server servers.Instance) {
		target := conformance.Target{
			Fetcher:    newClient(t).Fetcher,
			Document:   parse(t, server.Tree+"/100k.bin"),
			Content:    onDisk(t, server, "100k.bin"),
			Missing:    parse(t, server.Tree+"/nope"),
			AnyVersion: server.Name == "h2o" || server.Name == "busybox",     // they do not know If-Range
			Unsized:    server.Name == "apache" || server.Name == "lighttpd", // their 416 has no Content-Range
		}
		switch target.Document.Scheme {
		case "ftp", "ftps", "sftp":
			target.Directory = parse(t, server.Tree+"/deep/a/b/c/")
		}
		conformance.Run(t, target)
	})
}

// get fetches a URL whole.
func get(t *testing.T, client *fetchers.Client, u string) (*fetchers.Resource, []byte) {
	t.Helper()
	res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, u), ModTime: true})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

// onDisk reads the file that a server serves under a path of a URL.
func onDisk(t *testing.T, server servers.Instance, path string) []byte {
	t.Helper()
	where, err := parse(t, "file:///"+path).File()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(server.Root, filepath.FromSlash(where.Path)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
