package scheme_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Every scheme that RFC 1738 (sections 3 and 4) or RFC 1630 names has an answer. The client sends a
// request, describes a service, makes a document without a server, or returns an error that
// explains the scheme.
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
		{"afs:x", named, "a file in the Andrew File System: on a client of AFS, fetch file:///afs/"},
		{"mid:a@b.dom", named, "no news server is set"},
		{"cid:a@b.dom", named, "a part of a message"},
		{"nfs://h.dom/x", named, "a file on an NFS server: mount it"},
		{"tn3270://h.dom/", session, "tn3270"},
		{"mailserver:x", named, "data that a mail server sends on request: mail it"},
		{"z39.50://h.dom/x", named, "an information service: ask it by a z39.50s URL"},
		{"z39.50r://h.dom/db?x", asked, ""}, // RFC 2056
		{"z39.50s://h.dom/db", asked, ""},
		{"x-experiment:x", unknown, ""},
		// RFC 1630, which leaves some for further study.
		{"rlogin://h.dom/", session, "rlogin"},
		{"urn:isbn:1", named, "a thing, not a place"},
		{"x500:x", unknown, ""},
		{"whois://h.dom/x", unknown, ""},
		{"whois++://h.dom/x", named, "records of a WHOIS++ server: ask it in a session"},
		// Later ones.
		{"https://h.dom/", asked, ""},
		{"ftps://h.dom/f", asked, ""},
		{"sftp://h.dom/f", asked, ""},
		{"s3://bucket/f", asked, ""},
		{"scp://h.dom/f", asked, ""},
		{"telnets://h.dom/", session, "telnets"},
		{"data:,x", local, ""},
		{"finger://h.dom/joe", asked, ""},
		{"dict://h.dom/d:sun", asked, ""},
		{"gemini://h.dom/", asked, ""},
		{"tftp://h.dom/f", asked, ""},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		// If this program lacks the protocol, the error explains the scheme.
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
