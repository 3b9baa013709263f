package download_test

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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

// TestBrokenJournal: what cannot be relied on is not. The part is not what the server has.
func TestBrokenJournal(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	const state = `"size":3145728,"etag":"\"v1\"","modified":"2001-02-03T04:05:06Z"`
	for name, c := range map[string]struct {
		journal string
		part    int // octets
	}{
		"empty":                            {"", 1000},
		"no JSON":                          {"done", 1000},
		"too much":                         {`{"url":"URL",` + state + `,"have":[[0,3000000]]}`, 1000},
		"the part is longer than the file": {`{"url":"URL",` + state + `,"have":[[0,1000]]}`, 3145729},
		"negative":                         {`{"url":"URL",` + state + `,"have":[[0,-1]]}`, 1000},
		"beyond":                           {`{"url":"URL","size":5,"etag":"\"v1\"","have":[[0,20]]}`, 1000},
		"other":                            {`{"url":"http://h.dom/",` + state + `,"have":[[0,20]]}`, 1000},
		"other size":                       {`{"url":"URL","size":3000000,"etag":"\"v1\"","have":[[0,20]]}`, 1000},
		"other state":                      {`{"url":"URL","size":3145728,"etag":"\"v0\"","have":[[0,20]]}`, 1000},
		"no size":                          {`{"url":"URL","etag":"\"v1\"","have":[[0,20]]}`, 1000},
		"no validator":                     {`{"url":"URL","size":3145728,"have":[[0,20]]}`, 1000},
		"nothing":                          {`{"url":"URL",` + state + `,"have":[]}`, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f")
			write(t, file+".part", content(9, c.part))
			write(t, file+".part.json", []byte(strings.ReplaceAll(c.journal, "URL", server.URL)))
			saver := &download.Saver{Fetcher: web(t)}
			saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
			if err != nil {
				t.Fatal(err)
			}
			if saved.Resumed != 0 {
				t.Errorf("it goes on after %d", saved.Resumed)
			}
			wantContent(t, file, v1.content)
		})
	}
}
