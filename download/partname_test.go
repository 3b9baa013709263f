package download_test

import (
	"errors"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// TestLongName checks that a file may have any name that the file system supports, although
// NAME.part.json is longer, and that its download is resumed.
func TestLongName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names are not counted in bytes")
	}
	for _, length := range []int{99, 100, 101, 244, 245, 246, 250, 251, 255} {
		for _, letters := range []string{"x", "日本"} {
			dir := t.TempDir()
			base := strings.Repeat(letters, 255)[:length/len(letters)*len(letters)]
			base += strings.Repeat("y", length-len(base))
			file := filepath.Join(dir, base)
			saver, req := interrupted(t, file, v1.serve)
			saved, err := saver.Save(t.Context(), req, download.Target{Name: file})
			if err != nil || saved.Resumed != cutAt {
				t.Fatalf("%d: %+v, %v", length, saved, err)
			}
			wantContent(t, file, v1.content)
			saved, err = saver.Save(t.Context(), req, download.Target{Name: file, Beside: true})
			if err != nil || filepath.Ext(saved.Name) != ".1" {
				t.Fatalf("%d, beside it: %+v, %v", length, saved, err)
			}
			if files, _ := os.ReadDir(dir); len(files) != 2 {
				t.Errorf("%d: there are %v", length, files)
			}
		}
	}
}

// TestTooLongName checks that a name that no file can have is refused before the fetch.
func TestTooLongName(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	dir := t.TempDir()
	saver := &download.Saver{Fetcher: web(t)}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: filepath.Join(dir, strings.Repeat("x", 256))})
	var file *download.FileError
	if !errors.As(err, &file) || runtime.GOOS != "windows" && !errors.Is(err, syscall.ENAMETOOLONG) || saved.Fetched > 0 {
		t.Errorf("%+v, %v", saved, err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("there are %v", files)
	}
}

// The partial file of a download is found under each number of the name.
func TestLeftover(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, step := range []struct{ make, remove, want string }{
		{"b", "", ""},
		{"a.part", "", "a.part"},
		{"a", "a.part", ""},
		{"a.1.part", "", "a.1.part"},
		{"a.1", "a.1.part", ""},
	} {
		if err := os.WriteFile(step.make, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if step.remove != "" {
			os.Remove(step.remove)
		}
		got := download.Leftover("a")
		if got != "" {
			got = filepath.Base(got)
		}
		if got != step.want {
			t.Errorf("with %s: %q, want %q", step.make, got, step.want)
		}
	}
}
