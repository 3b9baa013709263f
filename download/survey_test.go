package download_test

import (
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// TestSurvey checks that a Saver resumes partial files in a directory that its Survey has checked,
// also one that the Saver itself has left since.
func TestSurvey(t *testing.T) {
	for name, c := range map[string]struct {
		before func(t *testing.T, file string)
		later  bool // the second attempt is by another run
	}{
		"of the same run": {},
		"of another":      {later: true},
		"where a link leads": {before: func(t *testing.T, file string) {
			link(t, filepath.Join(t.TempDir(), "led"), file)
		}},
		"where a link leads, of another": {later: true, before: func(t *testing.T, file string) {
			link(t, filepath.Join(t.TempDir(), "led"), file)
		}},
		"among too many to look at": {later: true, before: func(t *testing.T, file string) {
			for i := range 1100 {
				old(fmt.Sprint("z", i))(t, file)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cut := true
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				switch {
				case r.URL.Path == "/small":
					v4.serve(w, r)
				case cut:
					cut = false
					v1.cut(w, r)
				default:
					v1.serve(w, r)
				}
			}))
			defer server.Close()
			dir := t.TempDir()
			file := filepath.Join(dir, "f")
			if c.before != nil {
				c.before(t, file)
			}
			saver := &download.Saver{Fetcher: web(t), Survey: new(download.Survey)}
			small := func() {
				saved, err := saver.Save(t.Context(), request(t, server.URL+"/small"), download.Target{Name: filepath.Join(dir, "small")})
				if err != nil {
					t.Fatalf("%+v, %v", saved, err)
				}
			}
			small()
			if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("the first attempt: %v", err)
			}
			if c.later {
				saver.Survey = new(download.Survey)
				small()
			}
			saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
			if err != nil || saved.Resumed != cutAt {
				t.Fatalf("%+v, %v", saved, err)
			}
			wantContent(t, file, v1.content)
			wantAlone(t, file)
		})
	}
}

// TestSurveyIsOutdated checks that files that appear in the directory after the survey are
// respected.
func TestSurveyIsOutdated(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/cut":
			v1.cut(w, r)
		case "/large":
			v2.serve(w, r)
		default:
			v4.serve(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	saver := &download.Saver{Fetcher: web(t), Survey: new(download.Survey)}
	save := func(path string, to download.Target) error {
		_, err := saver.Save(t.Context(), request(t, server.URL+path), to)
		return err
	}
	if err := save("/small", download.Target{Name: filepath.Join(dir, "small")}); err != nil {
		t.Fatal(err)
	}

	other := &download.Saver{Fetcher: saver.Fetcher}
	if _, err := other.Save(t.Context(), request(t, server.URL+"/cut"), download.Target{Name: file}); err == nil {
		t.Fatal("the other was not cut off")
	}
	if err := save("/large", download.Target{Name: file}); err != nil {
		t.Error(err)
	}
	wantContent(t, file, v2.content)
	wantAlone(t, file)

	led := filepath.Join(t.TempDir(), "led")
	for i, path := range []string{"/small", "/large"} {
		name := filepath.Join(dir, fmt.Sprint("link", i))
		link(t, led, name)
		if err := save(path, download.Target{Name: name, Strange: true}); err == nil {
			t.Errorf("%s: a stranger's name leads out of the directory", path)
		}
		wantNone(t, led)
		if err := save(path, download.Target{Name: name}); err != nil {
			t.Error(err)
		}
		wantContent(t, led, [][]byte{v4.content, v2.content}[i])
		os.Remove(led)
	}
}
