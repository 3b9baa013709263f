package file_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/url"
)

// entries fetches a directory and returns its entries by name.
func entries(t *testing.T, u *url.URL) map[string]fetchers.Entry {
	t.Helper()
	res, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if res.Kind != fetchers.Listing || res.MediaType != "text/uri-list" || res.Size != -1 {
		t.Errorf("%v, %q, size %d", res.Kind, res.MediaType, res.Size)
	}
	return collect(t, res)
}

func collect(t *testing.T, res *fetchers.Resource) map[string]fetchers.Entry {
	t.Helper()
	found := make(map[string]fetchers.Entry)
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := found[e.Name]; twice {
			t.Errorf("%q comes twice", e.Name)
		}
		found[e.Name] = e
	}
	return found
}

func TestEntries(t *testing.T) {
	dir := tree(t)
	for _, end := range []string{"", "/"} { // the final slash is optional
		found := entries(t, urlOf(dir, end))
		if len(found) != 8 {
			t.Errorf("%d entries, want 8", len(found))
		}
		for name, want := range map[string]fetchers.Entry{
			"sub":          {Kind: fetchers.Listing, URL: urlOf(dir, "/sub/"), Size: -1},
			"hello.txt":    {Kind: fetchers.Document, URL: urlOf(dir, "/hello.txt"), Size: 20, MediaType: "text/plain"},
			"a blank.txt":  {Kind: fetchers.Document, URL: urlOf(dir, "/a blank.txt"), Size: 22, MediaType: "text/plain"},
			"number#1.txt": {Kind: fetchers.Document, URL: urlOf(dir, "/number#1.txt"), Size: 23, MediaType: "text/plain"},
			"100%.html":    {Kind: fetchers.Document, URL: urlOf(dir, "/100%.html"), Size: 20, MediaType: "text/html"},
			"%41":          {Kind: fetchers.Document, URL: urlOf(dir, "/%41"), Size: 14},
			"日本.txt":       {Kind: fetchers.Document, URL: urlOf(dir, "/日本.txt"), Size: 21, MediaType: "text/plain"},
		} {
			got := found[name]
			if got.URL == nil {
				t.Errorf("%q is not listed", name)
				continue
			}
			if got.Kind != want.Kind || got.URL.String() != want.URL.String() || got.Size != want.Size || got.MediaType != want.MediaType {
				t.Errorf("%q is %+v, want %+v", name, got, want)
			}
			if got.ModTime.IsZero() || len(got.Attributes["unix.mode"]) != 4 {
				t.Errorf("%q: time %v, attributes %v", name, got.ModTime, got.Attributes)
			}
		}
	}
}

// TestURIList checks the lines themselves against RFC 2483.
func TestURIList(t *testing.T) {
	dir := tree(t)
	_, body, err := get(t, urlOf(dir, "").String())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(body, "\r\n")
	if len(lines) != 9 || lines[8] != "" {
		t.Fatalf("body = %q, want 8 lines that end in CRLF", body)
	}
	for _, name := range []string{"/sub/", "/a blank.txt", "/%41"} {
		if want := urlOf(dir, name).String() + "\r\n"; !slices.Contains(lines, want) {
			t.Errorf("%q is not among %q", want, lines)
		}
	}
}

// TestVanished deletes a file after the list was read.
func TestVanished(t *testing.T) {
	dir := tree(t)
	res, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: urlOf(dir, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "none")); err != nil {
		t.Fatal(err)
	}
	kept := false
	for e, err := range res.Parse(strings.NewReader(string(body))) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == "none" {
			kept = e.Kind == fetchers.Unknown && e.Size == -1 && e.URL != nil
		}
	}
	if !kept {
		t.Error("the vanished entry is not there as an Unknown with its URL")
	}
}

// TestParse parses lists that this package would not write.
func TestParse(t *testing.T) {
	dir := tree(t)
	res, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: urlOf(dir, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	hello := urlOf(dir, "/hello.txt").String()
	var got []string
	for e, err := range res.Parse(strings.NewReader("# a remark\r\n" + hello + "\n\nno URL\r\nhttp://h.example/\r\nfile://h.example/x\r\n" + hello)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Kind.String()+" "+e.Name)
	}
	want := []string{"document hello.txt", "unparsed no URL", "unparsed http://h.example/", "unparsed file://h.example/x", "document hello.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("entries = %q, want %q", got, want)
	}
	for e, err := range res.Parse(strings.NewReader(strings.Repeat("x", 1<<20))) {
		if err == nil {
			t.Errorf("a line of a megabyte yields %v", e.Kind)
		}
	}
}

// TestLargeDirectory has more entries than one batch.
func TestLargeDirectory(t *testing.T) {
	dir := t.TempDir()
	for i := range 5000 {
		write(t, filepath.Join(dir, fmt.Sprintf("file%03d", i)), "")
	}
	if found := entries(t, urlOf(dir, "/")); len(found) != 5000 {
		t.Errorf("%d entries, want 5000", len(found))
	}
}

// TestSorted creates files in another order than their names.
func TestSorted(t *testing.T) {
	dir := t.TempDir()
	for i := range 1000 {
		write(t, filepath.Join(dir, fmt.Sprintf("file%03d", i*617%1000)), "")
	}
	res, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: urlOf(dir, "/")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	n := 0
	for e := range res.Entries() {
		if want := fmt.Sprintf("file%03d", n); e.Name != want {
			t.Fatalf("entry %d is %q, want %q", n, e.Name, want)
		}
		n++
	}
}
