package interop

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/tftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
)

// forEachTFTP runs a test with each of the servers, which serve the tree. tftpd-hpa does not
// support windowsize.
func forEachTFTP(t *testing.T, test func(t *testing.T, server servers.Instance)) {
	for _, name := range []string{"tftpd-hpa", "atftpd", "tftptest"} {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			if name != "tftptest" {
				test(t, servers.Need(t, name))
				return
			}
			server := servers.Need(t, "tftpd-hpa")
			own := tftptest.New(t, os.DirFS(server.Root))
			server.Name, server.URL, server.Tree, server.Addr = name, own.URL, own.URL, own.Addr
			test(t, server)
		})
	}
}

func TestTFTPDocuments(t *testing.T) {
	forEachTFTP(t, func(t *testing.T, server servers.Instance) {
		for how, f := range map[string]*tftp.Fetcher{
			"as usual": {}, "without options": {NoOptions: true}, "by one block": {WindowSize: 1},
			"in small blocks": {BlockSize: 512}, "in large blocks": {BlockSize: 16 << 10},
		} {
			client := &fetchers.Client{Fetcher: f}
			for _, path := range documents {
				if path == "5m.bin" && how == "without options" {
					continue
				}
				want := onDisk(t, server, path)
				res, got := get(t, client, server.Tree+"/"+path)
				if !bytes.Equal(got, want) || res.Kind != fetchers.Document || !res.Confirmed() {
					t.Errorf("%s, %s: %v of %d bytes that are not the %d on disk", path, how, res.Kind, len(got), len(want))
				}
				if res.Size != int64(len(want)) && (res.Size != -1 || !f.NoOptions) {
					t.Errorf("%s, %s: size %d, want %d", path, how, res.Size, len(want))
				}
			}
		}
		client := newClient(t)
		if _, err := client.Get(t.Context(), server.Tree+"/nothing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("nothing: %v", err)
		}
		if _, err := client.Get(t.Context(), server.Tree+"/noperm.txt"); server.Name != "tftptest" && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("noperm.txt: %v", err)
		}
	})
}

// fetch and curl receive the same bytes. An empty file is an error to curl 7.88, and so is a text.
func TestTFTPLikeCurl(t *testing.T) {
	forEachTFTP(t, func(t *testing.T, server servers.Instance) {
		curl, err := exec.LookPath("curl")
		if err != nil {
			t.Skip(err)
		}
		for _, path := range []string{"/hello.txt", "/100k.bin", "/a%20blank.txt", "/r%C3%A9sum%C3%A9.txt"} {
			theirs, err := exec.Command(curl, "-s", server.Tree+path).Output()
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			_, ours := get(t, newClient(t), server.Tree+path)
			if !bytes.Equal(ours, theirs) {
				t.Errorf("%s: %d bytes, and curl has %d", path, len(ours), len(theirs))
			}
		}
	})
}

// A text that was sent in netascii is equal to the file.
func TestTFTPNetASCII(t *testing.T) {
	forEachTFTP(t, func(t *testing.T, server servers.Instance) {
		for _, path := range []string{"hello.txt", "crlf.txt", "100k.bin", "empty.dat"} {
			want := onDisk(t, server, path)
			res, got := get(t, newClient(t), server.Tree+"/"+path+";mode=netascii")
			if !bytes.Equal(got, want) || res.Size != -1 && res.Size != 0 || !res.Confirmed() {
				t.Errorf("%s: %d bytes that are not the %d on disk, size %d", path, len(got), len(want), res.Size)
			}
		}
	})
}

func TestTFTPConformance(t *testing.T) {
	forEachTFTP(t, func(t *testing.T, server servers.Instance) {
		conformance.Run(t, conformance.Target{
			Fetcher: newSet(t, nil).Registry(), Document: parse(t, server.Tree+"/100k.bin"), Content: onDisk(t, server, "100k.bin"),
			Missing: parse(t, server.Tree+"/nothing"), Datagrams: true,
		})
	})
}
