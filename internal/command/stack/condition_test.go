package stack

import (
	"errors"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// A copy that is new enough makes a transfer needless, though the server knows nothing of
// conditions; after a "-", one that is too new does.
func TestUnlessHeld(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Last-Modified", "Wed, 12 Oct 2005 00:00:00 GMT")
		w.Write([]byte("x"))
	}))
	t.Cleanup(server.Close)
	for since, want := range map[string]fetchers.Kind{
		"2005-10-11": fetchers.Document, "2005-10-12": fetchers.Unchanged, "2006-01-01": fetchers.Unchanged,
		"-2005-10-11": fetchers.Unchanged, "-2005-10-12": fetchers.Document, "-2006-01-01": fetchers.Document,
	} {
		st := build(t, "-z", since)
		res, err := st.Conditional.Fetch(t.Context(), request(t, st, server.URL))
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		if res.Kind != want {
			t.Errorf("-z %s: a %s, want a %s", since, res.Kind, want)
		}
	}
	if st := build(t); st.Conditional != st.Fetcher {
		t.Error("there is a condition without -z")
	}
}

// The entity tag that --etag-save writes is that of --etag-compare. A resource without one
// leaves no older tag.
func TestETags(t *testing.T) {
	tag := `"1"`
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		if tag != "" && r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(nethttp.StatusNotModified)
		}
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "tag")
	for _, c := range []struct {
		tag  string
		kind fetchers.Kind
		file string
	}{
		{"", fetchers.Document, "none"},
		{`"1"`, fetchers.Document, "\"1\"\n"},
		{`"1"`, fetchers.Unchanged, "\"1\"\n"},
		{`"2"`, fetchers.Document, "\"2\"\n"},
		{"", fetchers.Document, ""},
	} {
		tag = c.tag
		st := build(t, "--etag-compare", file, "--etag-save", file)
		res, err := st.Conditional.Fetch(t.Context(), request(t, st, server.URL))
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		if err := st.KeepETag(t.Context(), res); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			text = []byte("none")
		}
		if res.Kind != c.kind || string(text) != c.file {
			t.Errorf("tag %s: a %s, and %q is kept, want a %s and %q", c.tag, res.Kind, text, c.kind, c.file)
		}
	}
	st := build(t, "--etag-save", filepath.Join(file, "no"))
	res := &fetchers.Resource{Validator: fetchers.Validator{ETag: "x"}}
	if _, output := errors.AsType[record.OutputError](st.KeepETag(t.Context(), res)); !output {
		t.Error("a tag in no directory is kept")
	}
}
