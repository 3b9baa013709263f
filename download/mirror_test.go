package download_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestSaveAny saves a file with several mirrors. The path of each tells how it behaves.
func TestSaveAny(t *testing.T) {
	sum, err := download.ParseSum("sha256:" + hex.EncodeToString(sum256(v1.content)))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/missing":
			nethttp.NotFound(w, r)
		case "/cut":
			v1.cut(w, r)
		case "/other":
			v2.serve(w, r)
		default:
			v1.serve(w, r)
		}
	}))
	defer server.Close()
	for places, want := range map[string]string{ // requests, up to the first success
		"/good":                "/good",
		"/missing /good /more": "/missing /good",
		"/cut /good":           "/cut /good",
		"/other /good":         "/other /good",
		// In the end each mirror is tried alone: after /other, or before it if that has helped
		// /cut.
		"/cut /missing /other /good": "/cut /missing /other /cut /missing /other /good|/cut /missing /cut /missing /other /good",
		"/missing /cut":              "",
		"/other /other":              "",
	} {
		t.Run(places, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			var reqs []*fetchers.Request
			for p := range strings.FieldsSeq(places) {
				reqs = append(reqs, request(t, server.URL+p))
			}
			asked := []string{reqs[0].URL.Path}
			saver := download.Saver{Fetcher: web(t), Segments: 1, Next: func(_ error, next *fetchers.Request) {
				asked = append(asked, next.URL.Path)
			}}
			to := download.Target{Name: file, Sum: sum, Hash: sha256.New()}
			saved, err := saver.SaveAny(t.Context(), reqs, to)
			if want == "" {
				first := strings.HasPrefix(places, "/missing")
				if refused := new(fetchers.StatusError); errors.As(err, &refused) != first || errors.Is(err, download.ErrChecksum) == first {
					t.Errorf("the error is not that of the first place: %v", err)
				}
				wantNone(t, file)
				return
			}
			if err != nil || saved.Name != file || !slices.Contains(strings.Split(want, "|"), strings.Join(asked, " ")) || string(to.Hash.Sum(nil)) != string(sum256(v1.content)) {
				t.Errorf("%v, asked %q", err, asked)
			}
			wantContent(t, file, v1.content)
			wantAlone(t, file)
		})
	}
}

// A partial file is resumed at the mirror where it began, and not mixed with content of another
// one.
func TestSaveAnyResumes(t *testing.T) {
	asked, up := "", false
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked += r.URL.Path
		switch {
		case r.URL.Path == "/first":
			nethttp.NotFound(w, r)
		case up:
			v1.serve(w, r)
		default:
			v1.cut(w, r)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "file")
	reqs := []*fetchers.Request{request(t, server.URL+"/first"), request(t, server.URL+"/second")}
	saver := download.Saver{Fetcher: web(t), Segments: 1}
	if _, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file}); err == nil {
		t.Fatal("it was not cut")
	}
	up, asked = true, ""
	saved, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file})
	if err != nil || saved.Resumed != cutAt || asked != "/second" {
		t.Errorf("%+v, %v, asked %s", saved, err, asked)
	}
	wantContent(t, file, v1.content)
}

// Different content at a mirror is reported rather than an unreachable mirror.
func TestSaveAnyOther(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/missing" {
			nethttp.NotFound(w, r)
		} else {
			v4.serve(w, r)
		}
	}))
	defer server.Close()
	for _, places := range [][]string{{"/missing", "/other"}, {"/other", "/missing"}, {"/missing", "/other", "/missing"}} {
		var reqs []*fetchers.Request
		for _, p := range places {
			reqs = append(reqs, request(t, server.URL+p))
		}
		file := filepath.Join(t.TempDir(), "file")
		saver := download.Saver{Fetcher: web(t)}
		if _, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: file, Sum: sumOf(t, v1)}); !errors.Is(err, download.ErrChecksum) {
			t.Errorf("%v: %v, want ErrChecksum", places, err)
		}
		wantNone(t, file)
	}
}

// A mirror whose file has the wrong size fails, whether it declares the size or not, even without a
// checksum.
func TestSaveAnyOfSize(t *testing.T) {
	const size = 5
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path != "/said" {
			w.(nethttp.Flusher).Flush() // makes the response chunked
		}
		if r.URL.Path == "/good" {
			io.WriteString(w, "whole")
		} else {
			io.WriteString(w, "another")
		}
	}))
	defer server.Close()
	saver := download.Saver{Fetcher: web(t)}
	for _, place := range []string{"/said", "/unsaid"} {
		file := filepath.Join(t.TempDir(), "file")
		to := download.Target{Name: file, Size: size}
		if _, err := saver.Save(t.Context(), request(t, server.URL+place), to); !errors.Is(err, download.ErrChecksum) {
			t.Errorf("%s: %v, want ErrChecksum", place, err)
		}
		wantNone(t, file)
		saved, err := saver.SaveAny(t.Context(), []*fetchers.Request{request(t, server.URL+place), request(t, server.URL+"/good")}, to)
		if err != nil || saved.Fetched != size {
			t.Errorf("%s: %+v, %v", place, saved, err)
		}
		wantContent(t, file, []byte("whole"))
	}
}

// An empty list of mirrors is an error.
func TestSaveAnyOfNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	saver := download.Saver{Fetcher: web(t)}
	saved, err := saver.SaveAny(t.Context(), nil, download.Target{Name: file})
	var e *fetchers.Error
	if saved != nil || !errors.As(err, &e) {
		t.Errorf("%v, %v; want an error of package fetchers", saved, err)
	}
	wantNone(t, file)
}

// A file that cannot be written is no failure of a mirror.
func TestSaveAnyNowhere(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	saver := download.Saver{Fetcher: web(t), Next: func(error, *fetchers.Request) { t.Error("another place was asked") }}
	reqs := []*fetchers.Request{request(t, server.URL), request(t, server.URL)}
	_, err := saver.SaveAny(t.Context(), reqs, download.Target{Name: filepath.Join(t.TempDir(), "no", "file")})
	var file *download.FileError
	if !errors.As(err, &file) {
		t.Errorf("%v", err)
	}
}
