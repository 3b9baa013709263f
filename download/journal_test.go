package download_test

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// TestStranger: the part of one URL is not gone on with for another.
func TestStranger(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/cut" {
			v1.cut(w, r)
		} else {
			v1.serve(w, r)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	saver.Save(t.Context(), request(t, server.URL+"/cut"), download.Target{Name: file})
	if _, err := os.Stat(file + ".part.json"); err != nil {
		t.Fatal(err)
	}
	saved, err := saver.Save(t.Context(), request(t, server.URL+"/other"), download.Target{Name: file})
	if err != nil || saved.Resumed != 0 {
		t.Errorf("%+v, %v", saved, err)
	}
	wantContent(t, file, v1.content)
	wantAlone(t, file)
}

// TestBrokenJournal: what cannot be relied on is not.
func TestBrokenJournal(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	for name, journal := range map[string]string{
		"empty":        "",
		"no JSON":      "done",
		"too much":     `{"url":"` + server.URL + `","size":3145728,"etag":"\"v1\"","modified":"2001-02-03T04:05:06Z","done":3000000}`,
		"negative":     `{"url":"` + server.URL + `","size":3145728,"etag":"\"v1\"","modified":"2001-02-03T04:05:06Z","done":-1}`,
		"beyond":       `{"url":"` + server.URL + `","size":5,"etag":"\"v1\"","modified":"2001-02-03T04:05:06Z","done":20}`,
		"other":        `{"url":"http://h.dom/","size":3145728,"etag":"\"v1\"","done":20}`,
		"no size":      `{"url":"` + server.URL + `","etag":"\"v1\"","done":20}`,
		"no validator": `{"url":"` + server.URL + `","size":3145728,"done":20}`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f")
			write(t, file+".part", content(9, 1000))
			write(t, file+".part.json", []byte(journal))
			saver := &download.Saver{Fetcher: web(t)}
			if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, v1.content)
		})
	}
}
