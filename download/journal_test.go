package download_test

import (
	"bytes"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestPartialFileOfAnotherURL checks that the partial file of one URL is not resumed for another.
func TestPartialFileOfAnotherURL(t *testing.T) {
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

// TestBrokenJournal checks that a partial file with an unreliable journal is not used. Its content
// is not that of the server. It is removed in the end, unless the file with the name of its journal
// is not a journal.
func TestBrokenJournal(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	const state = `"size":SIZE,"etag":"\"v1\"","modified":"2001-02-03T04:05:06Z"`
	fill := strings.NewReplacer("URL", server.URL, "SIZE", strconv.Itoa(fileSize)).Replace
	sealed := func(record string) string { return string(journalOf(fill(record))) }
	for name, c := range map[string]struct {
		journal string
		part    int // bytes
	}{
		"empty":                            {"", 1000},
		"zeros":                            {"\x00\x00\x00\x00", 1000},
		"its first bytes":                  {`{"ur`, 1000},
		"without a checksum":               {`{"url":"URL",` + state + `,"have":[[0,1000]]}`, 1000},
		"with another checksum":            {sealed(`{"url":"URL",`+state+`,"have":[[0,100]]}`) + "URL", 1000},
		"twice":                            {sealed(`{"url":"URL",`+state+`,"have":[[0,100]]}`) + sealed(`{"url":"URL",`+state+`,"have":[[0,1000]]}`), 1000},
		"a tag that cannot be sent":        {`{"url":"URL","size":SIZE,"etag":"\"v1\r\"","have":[[0,1000]]}`, 1000},
		"no JSON":                          {"done", 1000},
		"too much":                         {`{"url":"URL",` + state + `,"have":[[0,2000000]]}`, 1000},
		"the part is longer than the file": {`{"url":"URL",` + state + `,"have":[[0,1000]]}`, fileSize + 1},
		"negative":                         {`{"url":"URL",` + state + `,"have":[[0,-1]]}`, 1000},
		"beyond":                           {`{"url":"URL","size":5,"etag":"\"v1\"","have":[[0,20]]}`, 1000},
		"other":                            {`{"url":"http://h.dom/",` + state + `,"have":[[0,20]]}`, 1000},
		"other size":                       {`{"url":"URL","size":2000000,"etag":"\"v1\"","have":[[0,20]]}`, 1000},
		"other state":                      {`{"url":"URL","size":SIZE,"etag":"\"v0\"","have":[[0,20]]}`, 1000},
		"no size":                          {`{"url":"URL","etag":"\"v1\"","have":[[0,20]]}`, 1000},
		"no validator":                     {`{"url":"URL","size":SIZE,"have":[[0,20]]}`, 1000},
		"nothing":                          {`{"url":"URL",` + state + `,"have":[]}`, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f")
			write(t, file+".part", content(9, c.part))
			text := fill(c.journal)
			if record, isRecord := strings.CutSuffix(text, "]}"); isRecord && name != "without a checksum" {
				text = sealed(record + "]}")
			}
			writePrivate(t, file+".part.json", []byte(text))
			saver := &download.Saver{Fetcher: web(t)}
			saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
			if err != nil {
				t.Fatal(err)
			}
			if saved.Resumed != 0 {
				t.Errorf("it goes on after %d", saved.Resumed)
			}
			wantContent(t, file, v1.content)
			if name != "no JSON" {
				wantAlone(t, file)
			}
		})
	}
}

// interrupted saves v1 to a file from a server that cuts off once and then answers like later.
func interrupted(t *testing.T, file string, later nethttp.HandlerFunc) (*download.Saver, *fetchers.Request) {
	t.Helper()
	var answers atomic.Int32
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if answers.Add(1) == 1 {
			v1.cut(w, r)
		}
		later(w, r)
	}))
	t.Cleanup(server.Close)
	saver, req := &download.Saver{Fetcher: web(t)}, request(t, server.URL)
	if _, err := saver.Save(t.Context(), req, download.Target{Name: file}); err == nil {
		t.Fatal("no error")
	}
	return saver, req
}

// TestDamagedJournal checks that a journal with any changed byte, or without its end, is ignored,
// and that the download restarts.
func TestDamagedJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	saver, req := interrupted(t, file, v1.serve)
	journal, err := os.ReadFile(file + ".part.json")
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{}
	for at := 0; at < len(journal); at += 5 {
		damaged[fmt.Sprintf("cut after %d", at)] = journal[:at]
		other := bytes.Clone(journal)
		other[at] ^= 1 // a digit becomes another one
		damaged[fmt.Sprintf("changed at %d", at)] = other
	}
	garbage := content(9, cutAt) // ends up in the file if the journal is accepted
	for name, text := range damaged {
		write(t, file+".part", garbage)
		writePrivate(t, file+".part.json", text)
		saved, err := saver.Save(t.Context(), req, download.Target{Name: file})
		if err != nil || saved.Resumed != 0 {
			t.Fatalf("%s: %+v, %v", name, saved, err)
		}
		wantContent(t, file, v1.content)
		wantAlone(t, file)
	}
	write(t, file+".part", v1.content[:cutAt])
	writePrivate(t, file+".part.json", journal)
	if saved, err := saver.Save(t.Context(), req, download.Target{Name: file}); err != nil || saved.Resumed != cutAt {
		t.Errorf("not damaged: %+v, %v", saved, err)
	}
}

// TestDamagedJournalOfASmallFile checks that the partial file is removed even if the file on the
// server has become small.
func TestDamagedJournalOfASmallFile(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v4.serve))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	write(t, file+".part", content(9, 2<<20))
	writePrivate(t, file+".part.json", nil)
	saver := &download.Saver{Fetcher: web(t)}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, v4.content)
	wantAlone(t, file)
}

// TestNextJournal checks that a download that was killed before its new journal replaced the old
// one resumes from the old one, and that the new one is removed.
func TestNextJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	saver, req := interrupted(t, file, v1.serve)
	wantNone(t, file+".part.new")
	writePrivate(t, file+".part.new", []byte(`{"url":"http://`))
	saved, err := saver.Save(t.Context(), req, download.Target{Name: file})
	if err != nil || saved.Resumed != cutAt {
		t.Fatalf("%+v, %v", saved, err)
	}
	wantContent(t, file, v1.content)
	wantAlone(t, file)
	wantNone(t, file+".part.new")
}
