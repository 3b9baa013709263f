// Package interop holds the protocols against the real servers of
// integration/real: the same URLs as a user would type, the files on disk as the
// truth. Without the servers its tests skip and say how to bring them up.
package interop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/real/servers"
	"github.com/seed1ea3422f/fetch/url"
)

// documents are the files that every server has, as they stand in a URL.
var documents = []string{
	"hello.txt", "crlf.txt", "empty.dat", "100k.bin", "5m.bin", "deep/a/b/c/file.txt",
	"a%20blank.txt", "100%25.txt", "%2541.txt", "number%231.txt", "semi%3Btype=a", "what%3F.txt",
	"star*.txt", "r%C3%A9sum%C3%A9.txt", "%E6%97%A5%E6%9C%AC.txt", "-dash.txt",
}

func TestDocuments(t *testing.T) {
	for _, name := range []string{"nginx", "vsftpd"} {
		t.Run(name, func(t *testing.T) {
			server := servers.Need(t, name)
			for _, path := range documents {
				want := onDisk(t, server, path)
				res, got := get(t, server.Tree+"/"+path)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes that are not the %d on disk", path, len(got), len(want))
				}
				if res.Kind != fetchers.Document || res.Size != int64(len(want)) || !res.Confirmed() || res.Received() != res.Size {
					t.Errorf("%s: %v of size %d, confirmed %v, received %d; want a document of %d", path, res.Kind, res.Size, res.Confirmed(), res.Received(), len(want))
				}
			}
			if res, _ := get(t, server.Tree+"/hello.txt"); !res.Validator.ModTime.Equal(servers.HelloTime) {
				t.Errorf("hello.txt is of %v, want %v", res.Validator.ModTime, servers.HelloTime)
			}
		})
	}
}

func TestRanges(t *testing.T) {
	for _, name := range []string{"nginx", "vsftpd"} {
		t.Run(name, func(t *testing.T) {
			server := servers.Need(t, name)
			want := onDisk(t, server, "100k.bin")
			size := int64(len(want))
			for _, r := range []fetchers.Range{{Offset: 1}, {Offset: size - 1}, {Offset: 5, Length: 10}, {Length: 1}, {Offset: 5000, Length: size}} {
				u := parse(t, server.Tree+"/100k.bin")
				res, err := fetch.DefaultClient.Fetch(t.Context(), &fetchers.Request{URL: u, Range: r})
				if err != nil {
					t.Errorf("%+v: %v", r, err)
					continue
				}
				got, err := io.ReadAll(res.Body)
				res.Close()
				end := size
				if r.Length > 0 {
					end = min(size, r.Offset+r.Length)
				}
				if err != nil || res.Range.Offset != r.Offset || !bytes.Equal(got, want[r.Offset:end]) {
					t.Errorf("%+v: %d bytes from %d, error %v", r, len(got), res.Range.Offset, err)
				}
			}
			_, err := fetch.Get(t.Context(), server.Tree+"/100k.bin", fetch.From(size+1))
			if !errors.Is(err, fetchers.ErrRange) {
				t.Errorf("a range beyond the end: %v, want ErrRange", err)
			}
		})
	}
}

func TestUnchanged(t *testing.T) {
	for _, name := range []string{"nginx", "vsftpd"} {
		t.Run(name, func(t *testing.T) {
			server := servers.Need(t, name)
			first, _ := get(t, server.Tree+"/hello.txt")
			res, err := fetch.Get(t.Context(), server.Tree+"/hello.txt", fetch.Unless(first.Validator))
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
			if res.Kind != fetchers.Unchanged {
				t.Errorf("it is %v, want unchanged", res.Kind)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	for _, name := range []string{"nginx", "vsftpd"} {
		t.Run(name, func(t *testing.T) {
			server := servers.Need(t, name)
			for _, path := range []string{"/nope", "/nope/", "/nope/nope"} {
				res, err := fetch.Get(t.Context(), server.Tree+path)
				if err == nil {
					res.Close()
				}
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v, want fs.ErrNotExist", path, err)
				}
			}
		})
	}
}

// The forms of RFC 1738, section 3.2, on a server whose users see its root.
func TestFTPPaths(t *testing.T) {
	server := servers.Need(t, "vsftpd")
	user := url.FTP{Authority: parse(t, server.URL).Authority, Name: "hello.txt"}
	user.User = &url.Userinfo{Name: server.User, Password: server.Password, PasswordSet: true}
	want := onDisk(t, server, "hello.txt")
	for _, path := range []string{"/hello.txt", "//hello.txt", "/%2Fhello.txt", "/deep/../hello.txt", "/deep//%2F/hello.txt", "/hello.txt;type=i", "/hello.txt;type=a"} {
		u := user.URL()
		u.Path = path
		if _, got := get(t, u.String()); !bytes.Equal(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	if _, got := get(t, server.URL+"/crlf.txt;type=a"); bytes.Contains(got, []byte("\r")) {
		t.Errorf("crlf.txt in TYPE A: %q", got)
	}
	wrong := user
	wrong.User = &url.Userinfo{Name: server.User, Password: "wrong", PasswordSet: true}
	_, err := fetch.Get(t.Context(), wrong.URL().String())
	if !errors.Is(err, fetchers.ErrLogin) || strings.Contains(err.Error(), "wrong@") {
		t.Errorf("wrong password: %v, want ErrLogin without it", err)
	}
}

func TestFTPListings(t *testing.T) {
	server := servers.Need(t, "vsftpd")
	var want []string
	entries, err := os.ReadDir(server.Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			want = append(want, e.Name())
		}
	}
	for _, path := range []string{"/", "/;type=d", "/deep/../", "/deep/..;type=d"} {
		res, err := fetch.Get(t.Context(), server.URL+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got []string
		for e, err := range res.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Name)
			if e.Name == "5m.bin" && path == "/" && (e.Size != servers.Size5m || !e.ModTime.Equal(servers.TreeTime.Truncate(24*time.Hour))) {
				t.Errorf("5m.bin is listed as %d bytes of %v", e.Size, e.ModTime)
			}
			if e.Kind != fetchers.Document || strings.HasPrefix(e.Name, "noperm") || strings.HasSuffix(e.Name, ".bin") {
				continue
			}
			if _, body := get(t, e.URL.String()); int64(len(body)) != e.Size {
				t.Errorf("%s has %d bytes and is listed with %d", e.URL, len(body), e.Size)
			}
		}
		res.Close()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s lists\n%q, on disk are\n%q", path, got, want)
		}
	}
	// A directory without its slash leads to the one with it.
	if res, _ := get(t, server.URL+"/deep/a"); res.Kind != fetchers.Listing || res.URL.Path != "/deep/a/" {
		t.Errorf("/deep/a is %v at %s", res.Kind, res.URL)
	}
	_, err = fetch.Get(t.Context(), server.URL+"/noperm.txt")
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("noperm.txt: %v, want fs.ErrPermission", err)
	}
}

func TestHTTPRedirections(t *testing.T) {
	server := servers.Need(t, "nginx")
	want := onDisk(t, server, "hello.txt")
	for _, path := range []string{"/r/301", "/r/302", "/r/303", "/r/307", "/r/308", "/r/rel", "/r/frag", "/r/chain/123456789"} {
		if _, got := get(t, server.URL+path); !bytes.Equal(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, path := range []string{"/r/loop", "/r/chain/12345678901"} {
		if _, err := fetch.Get(t.Context(), server.URL+path); !errors.Is(err, fetchers.ErrRedirect) {
			t.Errorf("%s: %v, want ErrRedirect", path, err)
		}
	}
	servers.Need(t, "vsftpd")
	if res, got := get(t, server.URL+"/r/ftp"); res.URL.Scheme != "ftp" || len(got) == 0 {
		t.Errorf("/r/ftp led to %s, with %d bytes", res.URL, len(got))
	}
}

func TestHTTPLogin(t *testing.T) {
	server := servers.Need(t, "nginx")
	if _, err := fetch.Get(t.Context(), server.URL+"/auth/hello.txt"); !errors.Is(err, fetchers.ErrLogin) {
		t.Errorf("without a login: %v, want ErrLogin", err)
	}
	res, err := fetch.Get(t.Context(), server.URL+"/auth/hello.txt", fetch.As(server.User, server.Password))
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
}

// The promises of a Fetcher hold with servers that are not our own.
func TestConformance(t *testing.T) {
	for _, name := range []string{"nginx", "vsftpd"} {
		t.Run(name, func(t *testing.T) {
			server := servers.Need(t, name)
			target := conformance.Target{
				Fetcher:  fetch.Protocols(nil),
				Document: parse(t, server.Tree+"/100k.bin"),
				Content:  onDisk(t, server, "100k.bin"),
				Missing:  parse(t, server.Tree+"/nope"),
			}
			if name == "vsftpd" {
				target.Directory = parse(t, server.Tree+"/deep/a/b/c/")
			}
			conformance.Run(t, target)
		})
	}
}

// get fetches a URL whole.
func get(t *testing.T, u string) (*fetchers.Resource, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := fetch.Get(ctx, u)
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

// onDisk reads what a server serves under a path of a URL.
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
