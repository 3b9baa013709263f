package fetchers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// parse is url.Parse for valid URLs.
func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

// document returns an empty document for every request.
func document(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
	res.SetBody(nil)
	return res, nil
}

func TestRegistry(t *testing.T) {
	var r fetchers.Registry
	r.RegisterName("mailto", "a mailbox")
	r.RegisterName("urn", "a resource, but not where it is")
	r.Register(fetchers.FetcherFunc(document), "http", "https")
	r.Register(fetchers.FetcherFunc(document), "urn") // a resolver of URNs

	for _, c := range []struct {
		name, url string
		want      error
		text      string
	}{
		{"a registered scheme is fetched", "https://h.example/", nil, ""},
		{"a Fetcher comes before a name", "urn:isbn:0", nil, ""},
		{"a name is not retrievable", "mailto:a@h.example", fetchers.ErrNotRetrievable,
			"fetch mailto:a@h.example: not retrievable: mailto names a mailbox"},
		{"any other scheme is unknown", "x-odd://u:p@h.example/", fetchers.ErrUnknownScheme,
			"fetch x-odd://u:***@h.example/: unknown scheme: x-odd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := r.Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.url)})
			if !errors.Is(err, c.want) {
				t.Fatalf("error = %v, want %v", err, c.want)
			}
			if c.want == nil {
				res.Close()
			} else if err.Error() != c.text || res != nil {
				t.Errorf("%v, %q, want %q", res, err, c.text)
			}
		})
	}
	if got := r.Schemes(); !slices.Equal(got, []string{"http", "https", "urn"}) {
		t.Errorf("Schemes = %q", got)
	}
	if got := r.Names("mailto") + "," + r.Names("http"); got != "a mailbox," {
		t.Errorf("Names = %q", got)
	}
}

func TestRegistryWithoutURL(t *testing.T) {
	res, err := new(fetchers.Registry).Fetch(t.Context(), &fetchers.Request{})
	var e *fetchers.Error
	if res != nil || !errors.As(err, &e) || err.Error() != "fetch: the request has no URL" {
		t.Errorf("Fetch = %v, %v", res, err)
	}
}

func TestRegisterTwicePanics(t *testing.T) {
	var r fetchers.Registry
	r.Register(fetchers.FetcherFunc(document), "http")
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "http") {
			t.Errorf("recovered %q, want a panic that names the scheme", p)
		}
	}()
	r.Register(fetchers.FetcherFunc(document), "ftp", "http")
}

// idle counts calls of CloseIdle.
type idle struct {
	fetchers.FetcherFunc
	closed *int
}

func (i idle) CloseIdle() { *i.closed++ }

func TestCloseIdle(t *testing.T) {
	closed := 0
	var r fetchers.Registry
	r.Register(idle{document, &closed}, "http")
	r.Register(fetchers.FetcherFunc(document), "ftp")
	(&fetchers.Client{Fetcher: &r}).CloseIdle()
	if closed != 1 {
		t.Errorf("closed %d times, want 1", closed)
	}
	(&fetchers.Client{Fetcher: fetchers.FetcherFunc(document)}).CloseIdle() // its Fetcher keeps no connections
}
