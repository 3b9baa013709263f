package main

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// The table shows what the Registry knows, and nothing else.
func TestSchemesAreThoseOfTheRegistry(t *testing.T) {
	registry := fetch.Protocols(nil)
	var fetched []string
	for _, r := range scheme.Rows() {
		names, _, _ := strings.Cut(registry.Names(r.Scheme), ":") // what to do about it follows
		if names == "" {
			fetched = append(fetched, r.Scheme)
		} else if !strings.HasSuffix(r.Yields, names) {
			t.Errorf("%s yields %q, and names %q", r.Scheme, r.Yields, names)
		}
	}
	slices.Sort(fetched)
	if want := registry.Schemes(); !slices.Equal(fetched, want) {
		t.Errorf("the table has %q, the Registry %q", fetched, want)
	}
}

// The table of the README is that of fetch schemes: the same schemes in the same
// order, each row with what the first of its schemes yields.
func TestSchemesAreThoseOfTheREADME(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| scheme |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := scheme.Rows()
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(line, " | ")
		schemes := strings.Split(strings.Trim(cells[0], "| "), ", ")
		for i, s := range schemes {
			if len(rows) == 0 || s != "`"+rows[0].Scheme+"`" {
				t.Fatalf("the README goes on with %s, and fetch schemes with %v", s, rows)
			}
			if yields := strings.ReplaceAll(cells[1], "`", ""); i == 0 && yields != rows[0].Yields {
				t.Errorf("%s yields %q in the README, and %q in fetch schemes", s, yields, rows[0].Yields)
			}
			rows = rows[1:]
		}
	}
	if len(rows) > 0 {
		t.Errorf("the README does not have %v", rows)
	}
}

// Every scheme that RFC 1738 (sections 3 and 4) or RFC 1630 names has an answer: a
// server is asked, or a service is described, or a document needs no server, or the
// error says what the scheme names.
func TestEverySchemeHasAnAnswer(t *testing.T) {
	errAsked := errors.New("a server is asked")
	nw := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errAsked }}
	registry := fetch.NewSet(nw).Registry()
	const (
		asked   = "a server is asked"
		session = "a service is described"
		local   = "a document without a server"
		named   = "an error that says what it names"
		unknown = "an unknown scheme"
	)
	for _, c := range []struct{ url, answer, says string }{
		// RFC 1738, section 3.
		{"ftp://h.dom/f", asked, ""},
		{"http://h.dom/", asked, ""},
		{"gopher://h.dom/1", asked, ""},
		{"mailto:a@b.dom", local, ""},
		{"news://h.dom/g.a", asked, ""},
		{"nntp://h.dom/g.a/1", asked, ""},
		{"telnet://h.dom/", session, "telnet"},
		{"wais://h.dom/db", asked, ""},
		{"file:///", local, ""},
		{"prospero://h.dom/n", asked, ""},
		// Section 4.
		{"afs:x", named, "a file in the Andrew File System: mount it"},
		{"mid:a@b.dom", named, "no news server is set"},
		{"cid:a@b.dom", named, "a part of a message"},
		{"nfs://h.dom/x", named, "a file on an NFS server: mount it"},
		{"tn3270://h.dom/", session, "tn3270"},
		{"mailserver:x", named, "data that a mail server sends on request: ask for it by mail"},
		{"z39.50://h.dom/x", named, "an information service: ask it with a Z39.50 client"},
		{"z39.50r://h.dom/x", named, "a record on a Z39.50 server: ask it with a Z39.50 client"}, // RFC 2056
		{"z39.50s://h.dom/x", named, "a session with a Z39.50 server: open it with a Z39.50 client"},
		{"x-experiment:x", unknown, ""},
		// RFC 1630, which also leaves some for further study.
		{"rlogin://h.dom/", session, "rlogin"},
		{"urn:isbn:1", named, "a thing, not a place"},
		{"x500:x", unknown, ""},
		{"whois://h.dom/x", unknown, ""},
		// Later ones.
		{"https://h.dom/", asked, ""},
		{"ftps://h.dom/f", asked, ""},
		{"telnets://h.dom/", session, "telnets"},
		{"data:,x", local, ""},
		{"finger://h.dom/joe", asked, ""},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		// A protocol that is not in this program is named.
		described := c.answer == asked && !slices.Contains(registry.Schemes(), u.Scheme)
		answer, says := "nothing", ""
		res, err := registry.Fetch(t.Context(), &fetchers.Request{URL: u})
		switch {
		case err == nil:
			if answer = local; res.Kind == fetchers.Session {
				answer, says = session, res.Session.Service
			}
			res.Close()
		case errors.Is(err, errAsked):
			answer = asked
		case errors.Is(err, fetchers.ErrNotRetrievable):
			answer, says = named, err.Error()
		case errors.Is(err, fetchers.ErrUnknownScheme):
			answer, says = unknown, err.Error()
		}
		if described {
			if answer != unknown || !strings.Contains(says, "which names ") {
				t.Errorf("%s: %s %s %v", c.url, answer, says, err)
			}
			continue
		}
		if answer != c.answer || !strings.Contains(says, c.says) {
			t.Errorf("%s: %s %q %v, want %s %q", c.url, answer, says, err, c.answer, c.says)
		}
	}
}
