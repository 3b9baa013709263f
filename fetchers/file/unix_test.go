//go:build unix

package file_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
)

func TestSpecialFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", filepath.Join(dir, "socket")); err == nil { // the path may be too long
		defer l.Close()
	} else {
		t.Log(err)
	}
	for name, what := range map[string]string{
		filepath.Join(dir, "fifo"):   "a FIFO",
		filepath.Join(dir, "socket"): "a socket",
		"/dev/null":                  "a device",
	} {
		if _, err := os.Lstat(name); err != nil {
			continue
		}
		_, _, err := get(t, urlOf(name, "").String())
		if !errors.Is(err, file.ErrSpecial) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error = %v, want one that is ErrSpecial and says %s", name, err, what)
		}
	}
}

func TestLinksAndSpecialEntries(t *testing.T) {
	dir := tree(t)
	for name, target := range map[string]string{"tofile": "hello.txt", "todir": "sub", "tonothing": "nowhere", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "none"), 0o640|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	found := entries(t, urlOf(dir, "/"))
	for name, want := range map[string]struct {
		kind fetchers.Kind
		size int64
		url  string
		mode string
		link string
	}{
		"tofile":    {fetchers.Document, 20, "/tofile", "0644", "hello.txt"},
		"todir":     {fetchers.Listing, -1, "/todir/", "0755", "sub"},
		"tonothing": {fetchers.Unknown, -1, "/tonothing", "", "nowhere"},
		"loop":      {fetchers.Unknown, -1, "/loop", "", "loop"},
		"fifo":      {fetchers.Unknown, -1, "/fifo", "0600", ""},
		"none":      {fetchers.Document, 15, "/none", "4640", ""},
	} {
		e, there := found[name]
		if !there {
			t.Errorf("%q is not listed", name)
			continue
		}
		if e.Kind != want.kind || e.Size != want.size || e.URL.String() != urlOf(dir, want.url).String() || e.Attributes["unix.mode"] != want.mode || e.Attributes["unix.link"] != want.link {
			t.Errorf("%q is %+v, want %+v", name, e, want)
		}
	}
}

// TestNamesAreOctets uses a name that is not UTF-8, if the system allows it.
func TestNamesAreOctets(t *testing.T) {
	dir := t.TempDir()
	const name = "na\xefve\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
		t.Skip(err)
	}
	e, there := entries(t, urlOf(dir, ""))[name]
	if !there || !strings.HasSuffix(e.URL.String(), "/na%EFve%0A") {
		t.Fatalf("entry = %+v", e)
	}
	if _, body, err := get(t, e.URL.String()); err != nil || body != "x" {
		t.Errorf("fetching it: %q, %v", body, err)
	}
}

// TestKernelFiles reads files whose reported size is meaningless.
func TestKernelFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	for _, name := range []string{"/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Log(err)
			continue
		}
		res := open(t, t.Context(), name)
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Size != -1 || !res.Validator.IsZero() || !res.Confirmed() || len(body) == 0 || body[0] != want[0] {
			t.Errorf("%s: size %d, %+v, %d bytes, %v", name, res.Size, res.Validator, len(body), err)
		}
		part, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: urlOf(name, ""), Range: fetchers.Range{Offset: 3}})
		if err != nil || part.Range.Offset != 0 {
			t.Errorf("%s: a range of it: %v", name, err)
		}
		part.Close()
	}
}

// TestPageSize reads an ordinary file of the size that such files report.
func TestPageSize(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page")
	write(t, name, strings.Repeat("x", os.Getpagesize()))
	if res := open(t, t.Context(), name); res.Size != int64(os.Getpagesize()) {
		t.Errorf("Size = %d, want %d", res.Size, os.Getpagesize())
	}
}

func TestForbidden(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secret")
	write(t, name, "x")
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	if _, _, err := get(t, urlOf(name, "").String()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error = %v, want one that is fs.ErrPermission", err)
	}
}
