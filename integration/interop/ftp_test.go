package interop

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/url"
)

var (
	ftpServers = []string{"vsftpd", "vsftpd-ftps", "proftpd", "pure-ftpd", "pyftpdlib", "linux-ftpd", "ftptest"}
	explicit   = []string{"vsftpd", "proftpd", "pure-ftpd", "pyftpdlib", "ftptest"} // these do TLS when it is asked for
)

// as returns the URL of a server's root for the user who has a password.
func as(server servers.Instance, t *testing.T, password string) *url.URL {
	u := parse(t, server.Tree)
	u.User = &url.Userinfo{Name: server.User, Password: password, PasswordSet: true}
	return u
}

// The forms of RFC 1738, section 3.2, on servers whose users see the tree as the
// root.
func TestFTPPaths(t *testing.T) {
	shut := slices.DeleteFunc(slices.Clone(ftpServers), func(name string) bool { return name == "linux-ftpd" })
	forEach(t, shut, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		want := onDisk(t, server, "hello.txt")
		for _, path := range []string{"/hello.txt", "//hello.txt", "/%2Fhello.txt", "/deep/../hello.txt", "/deep//%2F/hello.txt", "/hello.txt;type=i", "/hello.txt;type=a"} {
			u := as(server, t, server.Password)
			u.Path = path
			if _, got := get(t, client, u.String()); !bytes.Equal(got, want) {
				t.Errorf("%s: %q", path, got)
			}
		}
		if _, got := get(t, client, server.Tree+"/hello.txt;type=a"); !bytes.Equal(got, want) {
			t.Errorf("hello.txt in TYPE A: %q", got)
		}
		_, err := client.Get(t.Context(), as(server, t, "wrong").String())
		if !errors.Is(err, fetchers.ErrLogin) || strings.Contains(err.Error(), "wrong@") {
			t.Errorf("wrong password: %v, want ErrLogin without it", err)
		}
	})
}

// Where a user sees the whole disk, a path begins in the home directory, and %2F is the
// root. The account of the user is in the server's own /etc.
func TestFTPAbsolutePaths(t *testing.T) {
	forEach(t, []string{"linux-ftpd"}, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		want := onDisk(t, server, "hello.txt")
		_, passwd := get(t, client, server.Tree+"/%2Fetc/passwd")
		_, account, _ := strings.Cut(string(passwd), "\n"+server.User+":")
		home := "/%2F" + strings.TrimPrefix(strings.Split(account, ":")[4], "/")
		for _, path := range []string{"/hello.txt", "/deep/../hello.txt", home + "/hello.txt", home + "/deep/../hello.txt;type=a"} {
			if _, got := get(t, client, server.Tree+path); !bytes.Equal(got, want) {
				t.Errorf("%s: %q", path, got)
			}
		}
		checkNames(t, client, server, home+"/deep/a/b/c/", []string{"file.txt"})
		stranger := servers.Need(t, server.Name)
		if _, got := get(t, client, stranger.Tree+"/deep/../hello.txt"); !bytes.Equal(got, want) {
			t.Errorf("a stranger gets %q", got)
		}
		_, err := client.Get(t.Context(), as(server, t, "wrong").String())
		if !errors.Is(err, fetchers.ErrLogin) || strings.Contains(err.Error(), "wrong@") {
			t.Errorf("wrong password: %v, want ErrLogin without it", err)
		}
	})
}

func TestFTPListings(t *testing.T) {
	forEach(t, ftpServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
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
		for _, path := range []string{"/", "/;type=d", "/deep/../"} {
			checkNames(t, client, server, path, want)
		}
		checkNames(t, client, server, "/empty-dir/", nil)
		checkNames(t, client, server, "/empty-dir;type=d", nil)
		checkNames(t, client, server, "/deep/a/b/c;type=d", []string{"file.txt"})

		// The URL of a directory without its slash redirects to the URL with it.
		if res, _ := get(t, client, server.Tree+"/deep/a"); res.Kind != fetchers.Listing || res.URL.Path != "/deep/a/" {
			t.Errorf("/deep/a is %v at %s", res.Kind, res.URL)
		}
		_, err = client.Get(t.Context(), server.Tree+"/noperm.txt")
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("noperm.txt: %v, want fs.ErrPermission", err)
		}
	})
}

// Names are octets, in any character set. Python's server supports characters only.
func TestFTPOctets(t *testing.T) {
	forEach(t, []string{"vsftpd", "vsftpd-ftps", "proftpd", "pure-ftpd", "linux-ftpd"}, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		var names []string
		for _, name := range servers.Octets {
			what := url.FTP{Authority: parse(t, server.Tree).Authority, CWD: []string{"octets"}, Name: strings.TrimPrefix(name, "octets/"), Secure: strings.HasPrefix(server.Tree, "ftps")}
			names = append(names, what.Name)
			if _, got := get(t, client, what.URL().String()); string(got) != name {
				t.Errorf("%s: %q", what.URL(), got)
			}
		}
		checkNames(t, client, server, "/octets/", names)
	})
}

// checkNames fetches a listing and holds it against names; hidden files may be in
// it or not.
func checkNames(t *testing.T, client *fetchers.Client, server servers.Instance, path string, want []string) {
	t.Helper()
	res, err := client.Get(t.Context(), server.Tree+path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer res.Close()
	var got []string
	for e, err := range res.Entries() {
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if e.Kind == fetchers.Unparsed {
			t.Errorf("%s: not understood: %q", path, e.Name)
		}
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		got = append(got, e.Name)
		when := e.ModTime.Truncate(24 * time.Hour)
		if e.Name == "5m.bin" && !strings.Contains(path, ";") && (e.Size != servers.Size5m || !when.Equal(servers.TreeTime.Truncate(24*time.Hour))) {
			t.Errorf("5m.bin is listed as %d bytes of %v", e.Size, e.ModTime)
		}
		if e.Kind == fetchers.Document && strings.HasSuffix(e.Name, ".txt") && e.Name != "noperm.txt" {
			if _, body := get(t, client, e.URL.String()); int64(len(body)) != e.Size {
				t.Errorf("%s has %d bytes and is listed with %d", e.URL, len(body), e.Size)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s lists\n%q, on disk are\n%q", path, got, want)
	}
}

// All of it over TLS, where ProFTPD and vsftpd want the data connections to resume
// the session of the control connection; by active connections; and in fewer CWDs.
func TestFTPVariants(t *testing.T) {
	for name, adjust := range map[string]func(*ftp.Fetcher){
		"explicit TLS": func(f *ftp.Fetcher) { f.AuthTLS = ftp.Required },
		"active":       func(f *ftp.Fetcher) { f.Active = true },
		"active, TLS":  func(f *ftp.Fetcher) { f.Active, f.AuthTLS = true, ftp.Required },
		"one CWD":      func(f *ftp.Fetcher) { f.Method = ftp.SingleCWD },
		"no CWD":       func(f *ftp.Fetcher) { f.Method = ftp.NoCWD },
		"no reuse":     func(f *ftp.Fetcher) { f.NoReuse = true },
	} {
		t.Run(name, func(t *testing.T) {
			can := explicit
			if !strings.Contains(name, "TLS") {
				can = append(slices.Clone(explicit), "linux-ftpd")
			}
			forEach(t, can, func(t *testing.T, server servers.Instance) {
				set := newSet(t, nil)
				adjust(&set.FTP)
				client := &fetchers.Client{Fetcher: set.Registry()}
				defer client.CloseIdle()
				for _, path := range []string{"hello.txt", "5m.bin", "deep/a/b/c/file.txt", "r%C3%A9sum%C3%A9.txt", "empty.dat"} {
					if _, got := get(t, client, server.Tree+"/"+path); !bytes.Equal(got, onDisk(t, server, path)) {
						t.Errorf("%s: %d bytes that are not those on disk", path, len(got))
					}
				}
				checkNames(t, client, server, "/deep/a/b/c/", []string{"file.txt"})
			})
		})
	}
}
