package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
	"github.com/seed1ea3422f/fetch/url"
	"golang.org/x/crypto/ssh"
)

var sftpServers = []string{"openssh", "dropbear", "sftptest"}

// ourHostKeys are the lines for our own servers in a file of known hosts.
var ourHostKeys string

// ourSFTP returns integration/sftptest with the tree of the others.
func ourSFTP(t *testing.T) servers.Instance {
	t.Helper()
	like := servers.Need(t, "openssh")
	server := sftptest.NewServer(os.DirFS(like.Root), sftptest.User(like.User, like.Password),
		sftptest.Reply(`OPEN "noperm.txt"`, "\x00\x00\x00\x09\x65\x00\x00\x00\x00\x00\x00\x00\x03")) // root may read everything
	t.Cleanup(server.Close)
	ourHostKeys += server.KnownHosts()
	like.Name, like.URL, like.Tree = "sftptest", server.URL, server.URL+"/~"
	return loggedIn(t, like)
}

// knownHosts returns a file with the keys that the servers send. The keys beside their
// configuration are those of the last run without containers.
func knownHosts(t *testing.T) string {
	t.Helper()
	lines := ourHostKeys
	for _, name := range sftpServers[:2] {
		key := saidKey(servers.Addr(name))
		if len(key) == 0 {
			continue // it is not up
		}
		host, port, _ := strings.Cut(servers.Addr(name), ":")
		lines += fmt.Sprintf("[%s]:%s %s\n", host, port, strings.TrimSpace(string(key)))
	}
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// saidKey returns the key that a server shows, in the form of known_hosts, or nil.
func saidKey(addr string) (key []byte) {
	config := &ssh.ClientConfig{
		HostKeyAlgorithms: []string{ssh.KeyAlgoED25519}, Timeout: 5 * time.Second,
		HostKeyCallback: func(_ string, _ net.Addr, shown ssh.PublicKey) error {
			key = ssh.MarshalAuthorizedKey(shown)
			return errors.New("that was all")
		},
	}
	if client, err := ssh.Dial("tcp", addr, config); err == nil {
		client.Close()
	}
	return key
}

// A listing has the names, sizes, times and modes of the files on disk.
func TestSFTPListing(t *testing.T) {
	forEach(t, sftpServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for _, dir := range []string{"", "octets", "empty-dir"} {
			want := make(map[string]string)
			on, err := os.ReadDir(filepath.Join(server.Root, dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range on {
				info, err := os.Stat(filepath.Join(server.Root, dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				kind, size := fetchers.Document, info.Size()
				if info.IsDir() {
					kind, size = fetchers.Listing, -1
				}
				want[e.Name()] = fmt.Sprint(kind, " ", size, " ", info.ModTime().Unix(), fmt.Sprintf(" %04o", info.Mode().Perm()))
			}
			res, err := client.Get(t.Context(), server.Tree+"/"+dir)
			if err != nil {
				t.Fatal(err)
			}
			for e, err := range res.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprint(e.Kind, " ", e.Size, " ", e.ModTime.Unix(), " ", e.Attributes["unix.mode"])
				if got != want[e.Name] {
					t.Errorf("%s/%q: %s, want %s", dir, e.Name, got, want[e.Name])
				}
				delete(want, e.Name)
				if e.Name == "link.txt" && e.Attributes["unix.link"] != "hello.txt" {
					t.Errorf("the link leads to %q", e.Attributes["unix.link"])
				}
			}
			res.Close()
			if len(want) > 0 {
				t.Errorf("%s: not listed: %v", dir, want)
			}
		}
	})
}

func TestSFTPErrors(t *testing.T) {
	forEach(t, sftpServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for path, want := range map[string]error{"/noperm.txt": fs.ErrPermission, "/nope": fs.ErrNotExist} {
			if _, err := client.Get(t.Context(), server.Tree+path); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", path, err, want)
			}
		}
		wrong := parse(t, server.Tree)
		wrong.User.Password = "wrong"
		if _, err := client.Get(t.Context(), wrong.String()); !errors.Is(err, fetchers.ErrLogin) || strings.Contains(err.Error(), ":wrong") {
			t.Errorf("a wrong password: %v, want ErrLogin without it", err)
		}
		set := newSet(t, nil)
		set.SFTP.KnownHosts = nil
		var unknown *sftp.HostKeyError
		if _, err := set.Registry().Fetch(t.Context(), &fetchers.Request{URL: wrong}); !errors.As(err, &unknown) {
			t.Errorf("a server that is not known: %v", err)
		}
	})
}

// Many fetches share a connection, and so one login.
func TestSFTPSharing(t *testing.T) {
	forEach(t, sftpServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		want := onDisk(t, server, "100k.bin")
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.Tree+"/100k.bin"), Multiplex: true})
				if err != nil {
					t.Error(err)
					return
				}
				defer res.Close()
				if got, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
		group.Wait()
	})
}

// A server is reached by way of another one, where the user has a key.
func TestSFTPJump(t *testing.T) {
	with(t, "openssh")
	by, server := servers.Need(t, "openssh"), loggedIn(t, servers.Need(t, "dropbear"))
	private, err := os.ReadFile(filepath.Join(servers.KeyDir(servers.Dir()), "user_key"))
	if err != nil {
		t.Fatal(err)
	}
	set := newSet(t, nil)
	set.SFTP.Keys = []sftp.Key{{Name: "user_key", Private: private}}
	set.SFTP.Host = func(name, _ string) (sftp.Host, error) {
		if name == "far.example" {
			host, port, _ := strings.Cut(server.Addr, ":")
			n, err := strconv.ParseUint(port, 10, 16)
			return sftp.Host{HostName: host, Port: uint16(n), Jump: []string{by.User + "@" + by.Addr}}, err
		}
		return sftp.Host{}, nil
	}
	client := &fetchers.Client{Fetcher: set.Registry()}
	t.Cleanup(client.CloseIdle)
	u := parse(t, server.Tree+"/hello.txt")
	u.Host, u.Port = "far.example", 0
	if _, got := get(t, client, u.String()); !bytes.Equal(got, onDisk(t, server, "hello.txt")) {
		t.Errorf("%q", got)
	}
	// The key alone is enough for openssh itself.
	u = parse(t, by.Tree+"/hello.txt")
	u.User = &url.Userinfo{Name: by.User}
	if _, got := get(t, client, u.String()); !bytes.Equal(got, onDisk(t, server, "hello.txt")) {
		t.Errorf("by the key: %q", got)
	}
}
