package data_test

import (
	"errors"
	"io"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/data"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Target{
		Fetcher:  new(data.Fetcher),
		Document: parse(t, "data:text/plain;base64,dGhlIHF1aWNrIGJyb3duIGZveA=="),
		Content:  []byte("the quick brown fox"),
	})
}

func TestDocuments(t *testing.T) {
	for _, c := range []struct{ url, mediaType, want string }{
		{"data:,A%20brief%20note", "text/plain; charset=US-ASCII", "A brief note"},
		{"data:text/plain;charset=iso-8859-7,%be%d3%be", "text/plain; charset=iso-8859-7", "\xbe\xd3\xbe"},
		{"data:image/gif;base64,R0lGODdhMAAw", "image/gif", "GIF87a0\x000"},
		{"data:,", "text/plain; charset=US-ASCII", ""},
		{"data:,a?b%23c", "text/plain; charset=US-ASCII", "a?b#c"},
	} {
		res, err := new(data.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.url)})
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		if string(got) != c.want || err != nil || res.MediaType != c.mediaType || res.Size != int64(len(c.want)) || !res.Confirmed() {
			t.Errorf("%s: %q of type %q, size %d, %v", c.url, got, res.MediaType, res.Size, err)
		}
	}
	for _, bad := range []string{"data:nothing", "data:;base64,a*b", "data:text,x"} {
		var malformed *url.Error
		if _, err := new(data.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, bad)}); !errors.As(err, &malformed) {
			t.Errorf("%s: %v, want a malformed URL", bad, err)
		}
	}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
