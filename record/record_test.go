package record

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

var began = time.Date(2026, 11, 21, 10, 0, 0, 120_000_000, time.UTC)

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// document returns a Resource whose Body has been read to its end.
func document(t *testing.T, name, body string) *fetchers.Resource {
	t.Helper()
	res := &fetchers.Resource{URL: parsed(t, name), Kind: fetchers.Document, Size: -1}
	res.SetBody(io.NopCloser(strings.NewReader(body)))
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res
}

// TestRecord holds the form of a record: the names and the order of its fields, and which
// of them are left out.
func TestRecord(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T) *Record
		want string
	}{
		{"a download", func(t *testing.T) *Record {
			res := document(t, "ftp://h.example/pub/a.txt", strings.Repeat("x", 1234))
			res.MediaType, res.Size = "text/plain", 1234
			res.Validator.ModTime = time.Date(1994, 12, 1, 11, 0, 0, 999, time.FixedZone("", 3600))
			res.Reply = fetchers.Reply{Code: 226, Text: "Transfer complete"}
			r := New(parsed(t, "ftp://u:s3cret@h.example/pub/a.txt"), began)
			sum, output, remote := "abc", "a.txt", "127.0.0.1:2121"
			r.SHA256, r.Output, r.Remote, r.Seconds = &sum, &output, &remote, 0.012
			r.Fill(res, nil)
			return r
		}, `{"url":"ftp://u:***@h.example/pub/a.txt","effective_url":"ftp://h.example/pub/a.txt","scheme":"ftp","kind":"document",` +
			`"media_type":"text/plain","size":1234,"received":1234,"range":null,"modified":"1994-12-01T10:00:00Z","etag":null,` +
			`"complete":"confirmed","reply":{"code":226,"text":"Transfer complete"},"redirects":[],"attempts":1,"resumed_from":0,` +
			`"sha256":"abc","output":"a.txt","remote":"127.0.0.1:2121","started":"2026-11-21T10:00:00.12Z","seconds":0.012,"error":null}`},
		{"a part, after a redirection", func(t *testing.T) *Record {
			res := document(t, "https://other.example/b", "0123456789")
			res.Range, res.Size = fetchers.Range{Offset: 10, Length: 10}, 20
			res.Validator.ETag = `"v1"`
			r := New(parsed(t, "http://h.example/a"), began)
			r.Redirects, r.Attempts, r.ResumedFrom = []string{"https://other.example/b"}, 2, 10
			res.TLS = &tls.ConnectionState{
				Version: tls.VersionTLS13, CipherSuite: tls.TLS_AES_128_GCM_SHA256, NegotiatedProtocol: "h2",
				PeerCertificates: []*x509.Certificate{{Subject: pkix.Name{CommonName: "other.example"}, NotAfter: began}},
			}
			r.Fill(res, nil)
			r.SetHeaders(map[string][]string{"Server": {"x"}, "Set-Cookie": {"a=s3cret", "b=s3cret"}}, func(name, value string) string {
				if name == "set-cookie" {
					return "***"
				}
				return value
			})
			return r
		}, `{"url":"http://h.example/a","effective_url":"https://other.example/b","scheme":"https","kind":"document",` +
			`"media_type":null,"size":20,"received":10,"range":{"offset":10,"length":10},"modified":null,"etag":"\"v1\"",` +
			`"complete":"confirmed","reply":null,"redirects":["https://other.example/b"],"attempts":2,"resumed_from":10,` +
			`"sha256":null,"output":null,"remote":null,` +
			`"tls":{"version":"TLS 1.3","cipher":"TLS_AES_128_GCM_SHA256","alpn":"h2","subject":"CN=other.example","issuer":null,"expires":"2026-11-21T10:00:00Z"},` +
			`"headers":{"server":["x"],"set-cookie":["***","***"]},"started":"2026-11-21T10:00:00.12Z","seconds":0,"error":null}`},
		{"a redirection that is kept", func(t *testing.T) *Record {
			res := document(t, "http://h.example/a", "")
			res.Kind, res.Location, res.Confirmed = fetchers.Redirect, parsed(t, "http://u:s3cret@h.example/b"), func() bool { return false }
			r := New(parsed(t, "http://h.example/a"), began)
			r.Fill(res, nil)
			return r
		}, `{"url":"http://h.example/a","effective_url":"http://h.example/a","scheme":"http","kind":"redirect",` +
			`"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,` +
			`"complete":"unconfirmed","reply":null,"redirects":[],"location":"http://u:***@h.example/b","attempts":1,"resumed_from":0,` +
			`"sha256":null,"output":null,"remote":null,"started":"2026-11-21T10:00:00.12Z","seconds":0,"error":null}`},
		{"a service", func(t *testing.T) *Record {
			res := document(t, "telnet://u:s3cret@h.example/", "")
			res.Kind = fetchers.Session
			res.Session = &fetchers.SessionHint{Service: "telnet", Addr: "h.example:23", Login: fetchers.Credential{User: "u", Password: "s3cret"}}
			r := New(parsed(t, "telnet://u:s3cret@h.example/"), began)
			r.Fill(res, nil)
			return r
		}, `{"url":"telnet://u:***@h.example/","effective_url":"telnet://u:***@h.example/","scheme":"telnet","kind":"session",` +
			`"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,` +
			`"complete":"confirmed","reply":null,"redirects":[],"attempts":1,"resumed_from":0,` +
			`"sha256":null,"output":null,"session":{"service":"telnet","address":"h.example:23","user":"u","password_set":true,"password":null,"command":null},` +
			`"remote":null,"started":"2026-11-21T10:00:00.12Z","seconds":0,"error":null}`},
		{"a body that is cut short", func(t *testing.T) *Record {
			res := document(t, "http://h.example/a", "12345")
			res.Size = 10
			r := New(parsed(t, "http://h.example/a"), began)
			r.Received = 3 // fewer than came
			r.Fill(res, about("http", io.ErrUnexpectedEOF))
			return r
		}, `{"url":"http://h.example/a","effective_url":"http://h.example/a","scheme":"http","kind":"document",` +
			`"media_type":null,"size":10,"received":5,"range":null,"modified":null,"etag":null,` +
			`"complete":"no","reply":null,"redirects":[],"attempts":1,"resumed_from":0,` +
			`"sha256":null,"output":null,"remote":null,"started":"2026-11-21T10:00:00.12Z","seconds":0,` +
			`"error":{"class":"truncated","exit":18,"code":null,"text":"fetch http://h.example/x: unexpected EOF","retryable":false}}`},
		{"no URL", func(t *testing.T) *Record {
			r := New(nil, began)
			r.URL = "http://u:***@h:x/"
			r.Fill(nil, &fetchers.Error{Op: "parse", URL: r.URL, Err: context.Canceled})
			return r
		}, `{"url":"http://u:***@h:x/","effective_url":"http://u:***@h:x/","scheme":"","kind":null,` +
			`"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,` +
			`"complete":"no","reply":null,"redirects":[],"attempts":1,"resumed_from":0,` +
			`"sha256":null,"output":null,"remote":null,"started":"2026-11-21T10:00:00.12Z","seconds":0,` +
			`"error":{"class":"canceled","exit":130,"code":null,"text":"parse http://u:***@h:x/: interrupted","retryable":false}}`},
		{"nothing at all", func(t *testing.T) *Record {
			r := new(Record)
			r.Fill(nil, nil)
			return r
		}, `{"url":"","effective_url":"","scheme":"","kind":null,` +
			`"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,` +
			`"complete":"no","reply":null,"redirects":[],"attempts":0,"resumed_from":0,` +
			`"sha256":null,"output":null,"remote":null,"started":"","seconds":0,"error":null}`},
	} {
		t.Run(c.name, func(t *testing.T) { golden(t, c.make(t), c.want) })
	}
}

func TestEntry(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry fetchers.Entry
		want  string
	}{
		{
			"a file",
			fetchers.Entry{
				URL: parsed(t, "ftp://u:s3cret@h.example/pub/a.txt"), Name: "a.txt", Kind: fetchers.Document, MediaType: "text/plain",
				Size: 1234, ModTime: time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC), Attributes: map[string]string{"unix.mode": "0644"},
			},
			`{"name":"a.txt","url":"ftp://u@h.example/pub/a.txt","kind":"document","media_type":"text/plain","size":1234,` +
				`"modified":"1994-12-01T10:00:00Z","title":null,"author":null,"target":null,"score":null,"attributes":{"unix.mode":"0644"}}`,
		},
		{
			"a symbolic link of a day",
			fetchers.Entry{
				URL: parsed(t, "ftp://h.example/pub/now"), Name: "now", Size: -1, Attributes: map[string]string{"unix.link": "a\x1b.txt"},
				ModTime: time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC), DateOnly: true,
			},
			`{"name":"now","url":"ftp://h.example/pub/now","kind":"unknown","media_type":null,"size":null,"modified":"1994-12-01",` +
				`"title":null,"author":null,"target":"a\u001b.txt","score":null,"attributes":{"unix.link":"a\u001b.txt"}}`,
		},
		{
			"a line of text",
			fetchers.Entry{Name: "welcome \u202e", Kind: fetchers.Text, Size: -1},
			`{"name":"welcome \u202e","url":null,"kind":"text","media_type":null,"size":null,` +
				`"modified":null,"title":null,"author":null,"target":null,"score":null,"attributes":{}}`,
		},
		{
			"a result",
			fetchers.Entry{URL: parsed(t, "wais://h.example/db/TEXT/3/1"), Kind: fetchers.Document, Title: "Roses & more", Score: 1000},
			`{"name":"","url":"wais://h.example/db/TEXT/3/1","kind":"document","media_type":null,"size":0,` +
				`"modified":null,"title":"Roses & more","author":null,"target":null,"score":1000,"attributes":{}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) { golden(t, EntryOf(&c.entry), c.want) })
	}
}

// TestEntryLeavesItsURLAlone: the listing may be used once more, with its passwords.
func TestEntryLeavesItsURLAlone(t *testing.T) {
	e := fetchers.Entry{URL: parsed(t, "ftp://u:s3cret@h.example/")}
	EntryOf(&e)
	if got := e.URL.String(); got != "ftp://u:s3cret@h.example/" {
		t.Errorf("the URL of the entry is now %s", got)
	}
}

func TestEvent(t *testing.T) {
	wait, none, size := 0.43, int64(0), int64(734003200)
	const at = "2026-11-21T10:00:00.12Z"
	for _, c := range []struct {
		event Event
		want  string
	}{
		{Event{Name: EventStart, ID: 1, Time: Stamp(began), URL: "http://h.example/a&b"},
			`{"event":"start","id":1,"time":"` + at + `","url":"http://h.example/a&b"}`},
		{Event{Name: EventSkip, ID: 2, Time: Stamp(began), URL: "http://h.example/"},
			`{"event":"skip","id":2,"time":"` + at + `","url":"http://h.example/"}`},
		{Event{Name: EventRedirect, ID: 1, Time: Stamp(began), From: "http://h.example/", To: "http://eu.example/"},
			`{"event":"redirect","id":1,"time":"` + at + `","from":"http://h.example/","to":"http://eu.example/"}`},
		{Event{Name: EventRetry, ID: 1, Time: Stamp(began), Try: 1, Wait: &wait, Error: FailureOf(io.ErrUnexpectedEOF)},
			`{"event":"retry","id":1,"time":"` + at + `","try":1,"wait":0.43,"error":{"class":"truncated","exit":18,"code":null,"text":"unexpected EOF","retryable":false}}`},
		{Event{Name: EventProgress, ID: 1, Time: Stamp(began), Have: &none, Size: &size},
			`{"event":"progress","id":1,"time":"` + at + `","have":0,"size":734003200}`},
	} {
		golden(t, c.event, c.want)
	}
	r := New(parsed(t, "http://h.example/"), began)
	r.Fill(nil, about("http", status(404, fs.ErrNotExist)))
	golden(t, Event{Name: EventRecord, ID: 1, Time: Stamp(began), Record: r},
		`{"event":"record","id":1,"time":"`+at+`","record":{"url":"http://h.example/","effective_url":"http://h.example/","scheme":"http","kind":null,`+
			`"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,"complete":"no","reply":null,`+
			`"redirects":[],"attempts":1,"resumed_from":0,"sha256":null,"output":null,"remote":null,"started":"`+at+`","seconds":0,`+
			`"error":{"class":"not-found","exit":22,"code":404,"text":"fetch http://h.example/x: 404 no","retryable":false}}}`)
}

func golden(t *testing.T, v any, want string) {
	t.Helper()
	if got, err := Marshal(v); err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}
