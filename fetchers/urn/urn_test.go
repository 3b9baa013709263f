package urn_test

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/url"
)

func table(t *testing.T) urn.Table {
	t.Helper()
	table := urn.Table{}
	for _, entry := range []string{
		"ietf:rfc=https://rfc.example/rfc/rfc{nss}.txt",
		"IETF=https://ietf.example/{nss}",
		"isbn=http://books.example/uri-res/N2L?{urn}",
		"urn:Example:a:b=http://ab.example:8080/x?name={nss}#top",
		"*=http://resolver.example/uri-res/N2R?{urn}",
	} {
		if err := table.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func TestResolve(t *testing.T) {
	f := &urn.Fetcher{Table: table(t)}
	for s, want := range map[string]string{
		"urn:ietf:rfc:2648":            "https://rfc.example/rfc/rfc2648.txt",
		"URN:IETF:rfc:2648":            "https://rfc.example/rfc/rfc2648.txt",
		"urn:ietf:std:50":              "https://ietf.example/std:50",
		"urn:isbn:0-395-36341-1":       "http://books.example/uri-res/N2L?urn:isbn:0-395-36341-1",
		"urn:example:a:b:c%2Fd/e":      "http://ab.example:8080/x?name=c%2Fd/e#top",
		"urn:example:a:bc":             "http://resolver.example/uri-res/N2R?urn:example:a:bc",
		"urn:other:x?+r?=op=map&lat=1": "http://resolver.example/uri-res/N2R?urn:other:x&op=map&lat=1",
		"urn:ietf:rfc:1?=q":            "https://rfc.example/rfc/rfc1.txt?q",
		"urn:ietf:rfc:@evil.example":   "https://rfc.example/rfc/rfc@evil.example.txt",
	} {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, s)})
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if res.Kind != fetchers.Redirect || res.Location.String() != want {
			t.Errorf("%s leads to %v, want %s", s, res.Location, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		url   string
		table urn.Table
		want  error
	}{
		{"urn:ietf:rfc:2648", nil, fetchers.ErrNotRetrievable},
		{"urn:/iana/dns/ch/cern", urn.Table{"ietf": "https://h.dom/{nss}"}, fetchers.ErrNotRetrievable},
		{"urn:ietf:../../admin", table(t), fetchers.ErrBlocked},
		{"urn:ietf:rfc:./x", table(t), fetchers.ErrBlocked},
	} {
		if _, err := (&urn.Fetcher{Table: c.table}).Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.url)}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.url, err, c.want)
		}
	}
	var malformed *url.Error
	if _, err := new(urn.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, "urn:x")}); !errors.As(err, &malformed) {
		t.Errorf("urn:x: %v, want a malformed URL", err)
	}
}

// A name must not change the server.
func TestBadEntries(t *testing.T) {
	for _, entry := range []string{
		"ietf", "=https://h.dom/{nss}", "ietf=https://h.dom/", "ietf={nss}", "ietf={urn}", "ietf=https://{nss}/", "ietf=https://{nss}.h.dom/",
		"ietf=https://h.dom:{nss}/", "ietf={nss}://h.dom/", "ietf=no scheme {nss}", "ietf=file:{nss}", "ietf=https://u:{nss}@h.dom/{nss}",
	} {
		if err := (urn.Table{}).Add(entry); err == nil {
			t.Errorf("%s is taken", entry)
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
