package nntp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/nntp/*.txt", func() fetchers.Fetcher { return new(nntp.Fetcher) })
}

// content is long, and has lines that begin with dots.
var content = []byte("From: Joe <joe@x.dom>\r\nSubject: A poem\r\nDate: Sat, 03 Feb 2001 04:05:06 +0000\r\nMessage-ID: <poem@x.dom>\r\n\r\n" +
	strings.Repeat("all that glitters\r\n.is not\r\n..\r\n.\r\n\r\ngold\r\n", 5_000))

var files = fstest.MapFS{
	"newsgroups":    {Data: []byte("test.misc\tMiscellaneous\n")},
	"test.misc/1":   {Data: []byte("From: a@x.dom\nSubject: one\nMessage-ID: <1@x.dom>\n\none\n")},
	"test.misc/2":   {Data: content},
	"test.misc/7":   {Data: []byte("From: a@x.dom\nSubject: =?utf-8?q?caf=C3=A9?=\nMessage-ID: <7@x.dom>\nReferences: <1@x.dom>\n\nseven\n")},
	"test.secret/1": {Data: []byte("Subject: secret\nMessage-ID: <secret@x.dom>\n\nsecret\n")},
	"test.empty/.x": {},
}

// TestTree reads the articles of a group by their subjects.
func TestTree(t *testing.T) {
	article := func(id, subject string) []byte {
		return []byte("From: a@x.dom\r\nSubject: " + subject + "\r\nMessage-ID: <" + id + "@x.dom>\r\nDate: 3 Feb 2001 04:05:06 +0000\r\n\r\nhello\r\n")
	}
	server := nntptest.NewServer(fstest.MapFS{
		"test.misc/1": {Data: article("1", "A poem")},
		"test.misc/2": {Data: article("2", "Re: A poem")},
	})
	defer server.Close()
	conformance.Tree(t, new(nntp.Fetcher), parse(t, server.URL+"/test.misc"), fstest.MapFS{
		"A poem":     {Data: article("1", "A poem")},
		"Re: A poem": {Data: article("2", "Re: A poem")},
	})
	conformance.Tree(t, new(nntp.Fetcher), parse(t, "news://"+server.Addr+"/*"), fstest.MapFS{
		"test.misc/A poem": {Data: article("1", "A poem")},
	})
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name    string
		fetcher *nntp.Fetcher
		opts    []nntptest.Option
		user    string
		form    string
	}{
		{"all", new(nntp.Fetcher), nil, "", "/test.misc/2"},
		{"a server of RFC 977", new(nntp.Fetcher), []nntptest.Option{nntptest.Without("CAPABILITIES", "MODE", "OVER", "XOVER", "DATE", "LIST NEWSGROUPS")}, "", "/poem@x.dom"},
		{"implicit TLS", new(nntp.Fetcher), []nntptest.Option{nntptest.TLS()}, "", "/poem@x.dom"},
		{"TLS because the server insists, and a login by SASL", new(nntp.Fetcher), []nntptest.Option{
			nntptest.User("joe", "s3cret"), nntptest.Private("*"), nntptest.StartTLS(), nntptest.RequireTLS(), nntptest.SASLOnly()}, "joe:s3cret@", "/test.misc/2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := func(t *testing.T, opts ...nntptest.Option) (*nntptest.Server, string) {
				server := nntptest.NewServer(files, append(opts, c.opts...)...)
				t.Cleanup(server.Close)
				base := strings.Replace(server.URL, "://", "://"+c.user, 1)
				if strings.Contains(c.form, "@") {
					base = strings.Replace(strings.Replace(base, "nntps:", "snews:", 1), "nntp:", "news:", 1)
				}
				return server, base
			}
			server, base := start(t)
			c.fetcher.TLS = &tls.Config{RootCAs: server.Roots()}
			faulty := func(do nntptest.Action) func(t *testing.T) *url.URL {
				return func(t *testing.T) *url.URL {
					_, base := start(t, nntptest.Faults(nntptest.Fault{After: 100_000, Do: do}))
					return parse(t, base+c.form)
				}
			}
			conformance.Run(t, conformance.Target{
				Fetcher:   c.fetcher,
				Document:  parse(t, base+c.form),
				Content:   content,
				Missing:   parse(t, base+strings.NewReplacer("poem", "nope", "/2", "/3").Replace(c.form)),
				Directory: parse(t, base+"/test.misc"),
				Stalled:   faulty(nntptest.Stall),
				Cut:       faulty(nntptest.Cut),
			})
		})
	}
}

// Only read-only commands are sent, whatever the URL is.
func TestNothingIsInjected(t *testing.T) {
	server := nntptest.NewServer(files)
	defer server.Close()
	for _, path := range []string{
		"nntp:/g%0D%0APOST/1", "nntp:/g%0aPOST", "news:/a%0d%0aPOST@b", "news:/a%00@b", "nntp:/g/1%0d%0a", "news:/a%20b", "news:/%09@x",
	} {
		u := parse(t, strings.Replace(path, ":", "://"+server.Addr, 1))
		_, err := new(nntp.Fetcher).Fetch(context.Background(), &fetchers.Request{URL: u})
		var malformed *url.Error
		if !errors.As(err, &malformed) {
			t.Errorf("%s: %v, want a malformed URL", path, err)
		}
	}
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections were made: %q", n, server.Transcript())
	}
}

// A server that stalls at any point times out after the stall limit.
func TestSilence(t *testing.T) {
	for _, command := range []string{"MODE", "GROUP", "ARTICLE", "OVER", "COMPRESS", "CAPABILITIES", "LIST"} {
		t.Run(command, func(t *testing.T) {
			server := nntptest.NewServer(files, nntptest.Reply(command, ""))
			defer server.Close()
			f := &nntp.Fetcher{Network: &fetchers.Network{Stall: 50 * time.Millisecond}}
			path := "/test.misc/1"
			switch command {
			case "OVER":
				path = "/test.misc"
			case "COMPRESS", "CAPABILITIES", "LIST":
				path = "/*"
			}
			u := parse(t, server.URL+path)
			if path == "/*" {
				u.Scheme = "news"
			}
			res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u})
			if err == nil {
				res.Close()
			}
			if !errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("error %v, want ErrStalled", err)
			}
		})
	}
}

// A URL without a server uses Fetcher.Server, and the URLs of its entries have no server either.
func TestServer(t *testing.T) {
	server := nntptest.NewServer(files)
	defer server.Close()
	f := &nntp.Fetcher{Server: server.Addr}
	defer f.CloseIdle()
	if got, err := get(t, f, "news:poem@x.dom"); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
	if got := list(t, f, "news:test.misc"); !slices.Equal(got, []string{"one news:1@x.dom", "A poem news:poem@x.dom", "=?utf-8?q?caf=C3=A9?= news:7@x.dom"}) {
		t.Errorf("the group is %q", got)
	}
	if got := list(t, f, "news:test.*"); !slices.Equal(got, []string{"test.empty news:test.empty", "test.misc news:test.misc", "test.secret news:test.secret"}) {
		t.Errorf("the groups are %q", got)
	}
	if got := list(t, f, "news:test.empty"); len(got) != 0 {
		t.Errorf("the empty group is %q", got)
	}
	for _, bad := range []string{"", "a b", "h.dom/path", "joe@h.dom", "http://h.dom"} {
		_, err := get(t, &nntp.Fetcher{Server: bad}, "news:poem@x.dom")
		if !errors.Is(err, fetchers.ErrNotRetrievable) {
			t.Errorf("server %q: %v, want ErrNotRetrievable", bad, err)
		}
	}
	// A host in the URL takes precedence (RFC 1738, section 3.7; clause U-3.7-4).
	elsewhere := &nntp.Fetcher{Server: "127.0.0.1:1"}
	defer elsewhere.CloseIdle()
	if _, err := get(t, elsewhere, server.URL+"/test.misc/1"); err != nil {
		t.Error(err)
	}
}

// The properties of an entry beside its name.
func TestEntries(t *testing.T) {
	server := nntptest.NewServer(files)
	defer server.Close()
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/test.misc/7-7")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if res.Kind != fetchers.Document {
		t.Errorf("one article is %v", res.Kind)
	}
	for e, err := range entries(t, f, server.URL+"/test.misc/3-9") {
		o, ok := e.Sys.(nntp.Overview)
		want := map[string]string{"number": "7", "from": "a@x.dom", "message-id": "<7@x.dom>", "references": "<1@x.dom>", "lines": "1", "also": strings.Replace(server.URL, "nntp", "news", 1) + "/7@x.dom"}
		if err != nil || !ok || o.Number != 7 || e.Title != "café" || e.Size != 102 || fmt.Sprint(e.Attributes) != fmt.Sprint(want) {
			t.Errorf("%+v, %v", e, err)
		}
	}
	for e, err := range entries(t, f, strings.Replace(server.URL, "nntp", "news", 1)+"/test.misc,!*.x") {
		want := map[string]string{"count": "3", "low": "1", "high": "7", "status": "n"}
		if err != nil || e.Title != "Miscellaneous" || e.Kind != fetchers.Listing || fmt.Sprint(e.Attributes) != fmt.Sprint(want) {
			t.Errorf("%+v, %v", e, err)
		}
	}
}

// A block that is truncated at any byte, in any way, does not end in io.EOF.
func TestCutAnywhere(t *testing.T) {
	size := int64(len(content))
	for _, do := range []nntptest.Action{nntptest.Cut, nntptest.Reset} {
		for _, at := range []int64{0, 1, 60, size / 2, size - 1, size, size + 1, size + 2} {
			for _, opts := range [][]nntptest.Option{nil, {nntptest.TLS()}} {
				server := nntptest.NewServer(files, append(opts, nntptest.Faults(nntptest.Fault{After: at, Do: do}))...)
				f := &nntp.Fetcher{TLS: &tls.Config{RootCAs: server.Roots()}}
				if got, err := get(t, f, server.URL+"/test.misc/2"); err == nil {
					t.Errorf("cut at %d: %d bytes and no error", at, len(got))
				} else if do == nntptest.Cut && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("cut at %d: %v, want ErrUnexpectedEOF", at, err)
				}
				server.Close()
			}
		}
	}
}

// A missing group and a refused login.
func TestRefusals(t *testing.T) {
	server := nntptest.NewServer(files, nntptest.User("joe", "s3cret"), nntptest.Private("test.secret"))
	defer server.Close()
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	for _, c := range []struct {
		user, path string
		want       error
	}{
		{"", "/test.nope", fs.ErrNotExist},
		{"", "/test.nope/1", fs.ErrNotExist},
		{"", "/test.misc/3", fs.ErrNotExist},
		{"", "/test.misc/3-6", fs.ErrNotExist},
		{"", "/test.secret", fetchers.ErrLogin},
		{"joe:wr0ng@", "/test.secret/1", fetchers.ErrLogin},
		{"joe@", "/test.secret/1", fetchers.ErrLogin},
		{"joe:s3cret@", "/test.secret/1", nil},
		{"joe:s3cret@", "/test.misc/1", nil},
	} {
		got, err := get(t, f, strings.Replace(server.URL, "://", "://"+c.user, 1)+c.path)
		if c.want == nil && (err != nil || len(got) == 0) || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s%s: %v, want %v", c.user, c.path, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "wr0ng") || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("the password shows: %v", err)
		}
	}
	if n := server.Logins(); n != 1 {
		t.Errorf("%d logins, want one that is used again", n)
	}
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func get(t testing.TB, f fetchers.Fetcher, u string) ([]byte, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return io.ReadAll(res.Body)
}

// entries fetches a listing.
func entries(t testing.TB, f fetchers.Fetcher, u string) func(yield func(fetchers.Entry, error) bool) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	return res.Entries()
}

// list returns the names and URLs of a listing.
func list(t testing.TB, f fetchers.Fetcher, u string) (rows []string) {
	t.Helper()
	for e, err := range entries(t, f, u) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%s %s", e.Name, e.URL))
	}
	return rows
}
