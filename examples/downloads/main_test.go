package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A program that saves 1,000 files of three servers has all of them. A second run requests none of
// them.
func TestThousandFilesAreSavedOnce(t *testing.T) {
	files := fstest.MapFS{}
	for n := range 1000 {
		files[fmt.Sprintf("%d.txt", n)] = &fstest.MapFile{Data: bytes.Repeat(fmt.Appendf(nil, "%d\n", n), n)}
	}
	web, ftp, gopher := webtest.NewServer(files), ftptest.NewServer(files), gophertest.NewServer(files, gophertest.NoDot())
	for _, server := range []interface{ Close() }{web, ftp, gopher} {
		defer server.Close()
	}
	bases := []string{web.URL + "/", ftp.URL + "/", gopher.URL + "/9/"}
	var list strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&list, "%s%d.txt\n", bases[n%3], n)
	}
	dir := t.TempDir()
	var out, messages strings.Builder
	if err := save(t.Context(), strings.NewReader(list.String()), &out, log.New(&messages, "", 0), dir, "state"); err != nil {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1000 {
		t.Errorf("%d lines", lines)
	}
	for name, file := range files {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(text, file.Data) {
			t.Errorf("%s: %d octets, want %d: %v", name, len(text), len(file.Data), err)
		}
	}
	asked := func() int {
		return len(slices.Concat(web.Transcript(), ftp.Transcript(), gopher.Transcript()))
	}
	before := asked()
	out.Reset()
	if err := save(t.Context(), strings.NewReader(list.String()), &out, log.New(&messages, "", 0), dir, "state"); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 || asked() != before {
		t.Errorf("%d lines were sent again:\n%s", asked()-before, out.String())
	}
}

// A URL that fails, or is none, does not keep the others from being saved.
func TestFailures(t *testing.T) {
	web := webtest.NewServer(fstest.MapFS{"a": {Data: []byte("a")}})
	defer web.Close()
	var out, messages strings.Builder
	list := fmt.Sprintf("%[1]s/missing\nno URL\n%[1]s/a\n", web.URL)
	err := save(t.Context(), strings.NewReader(list), &out, log.New(&messages, "", 0), t.TempDir(), "state")
	if err == nil || err.Error() != "files that failed: 1" || strings.Count(out.String(), "\n") != 1 || strings.Count(messages.String(), "\n") != 2 {
		t.Errorf("%v\n%s%s", err, out.String(), messages.String())
	}
}
