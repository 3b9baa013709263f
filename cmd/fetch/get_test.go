package main

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// The verb get writes the documents of URLs to standard output, in their order, and goes on after
// one that fails.
func TestGet(t *testing.T) {
	_, at := directory(t)
	d := directly(t, "get", at+"a.txt", "http://h:x/", "data:,x")
	err := get(t.Context(), getOptions{URLs: d.urls, Options: d.options}, d.streams)
	d.wrote(t, err, record.ClassMalformedURL, "hello\nx", "fetch: parse http://h:***/: malformed URL: bad port (at byte 9)\n")
}

// With -o a URL goes to a file.
func TestGetToFile(t *testing.T) {
	dir, at := directory(t)
	d := directly(t, "get", "-s", "--output-dir", dir, "-o", "b.txt", at+"a.txt")
	err := get(t.Context(), getOptions{URLs: d.urls, Options: d.options}, d.streams)
	d.wrote(t, err, "", "", "")
	if text, err := os.ReadFile(filepath.Join(dir, "b.txt")); string(text) != "hello\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// With -I the verb get behaves as the verb info.
func TestGetHead(t *testing.T) {
	d := directly(t, "get", "-I", "data:,hello")
	err := get(t.Context(), getOptions{URLs: d.urls, Options: d.options}, d.streams)
	d.wrote(t, err, "", "url:         data:,hello\nkind:        document\nmedia-type:  text/plain; charset=US-ASCII\nsize:        5\n", "")
}

// With --skip-existing, a file that another program makes during the fetch stays: the new file gets
// a number.
func TestGetSkipsLateFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "b.txt")
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		os.WriteFile(name, []byte("mine"), 0o666)
		io.WriteString(w, "hello")
	}))
	defer server.Close()
	d := directly(t, "get", "-s", "--skip-existing", "--output-dir", dir, "-o", "b.txt", server.URL+"/a.txt")
	if err := get(t.Context(), getOptions{URLs: d.urls, Options: d.options}, d.streams); err != nil {
		t.Error(err)
	}
	old, _ := os.ReadFile(name)
	if got, _ := os.ReadFile(name + ".1"); string(old) != "mine" || string(got) != "hello" {
		t.Errorf("the file has %q, and the new one %q", old, got)
	}
}
