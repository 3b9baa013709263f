package download_test

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed1ea3422f/fetch/download"
)

// TestDefaultACL checks that the default ACL of a directory, rather than the umask, determines the
// mode of a saved file.
func TestDefaultACL(t *testing.T) {
	dir := t.TempDir()
	acl := []byte{2, 0, 0, 0} // the version, and then a tag, permissions and no ID for each entry
	for _, entry := range [][2]byte{{0x01, 6}, {0x04, 6}, {0x20, 0}} {
		acl = append(acl, entry[0], 0, entry[1], 0, 0xFF, 0xFF, 0xFF, 0xFF)
	}
	if err := unix.Setxattr(dir, "system.posix_acl_default", acl, 0); err != nil {
		t.Skipf("the file system has no ACLs: %v", err)
	}
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	file := filepath.Join(dir, "f")
	saver := &download.Saver{Fetcher: web(t)}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("the file is %v, %v; want 0660", info.Mode(), err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("there are %v", files)
	}
}
