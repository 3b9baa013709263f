package gateway_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

var update = flag.Bool("write", false, "write the pages in testdata")

var schemes = []string{"ftp", "gopher", "gemini", "http", "mailto", "news", "telnet", "wais", "z39.50r"}

// handlerOf returns a Handler whose Fetcher calls newResource.
func handlerOf(newResource func(req *fetchers.Request) (*fetchers.Resource, error)) *gateway.Handler {
	return &gateway.Handler{Schemes: schemes, Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		return newResource(req)
	})}
}

// get returns the answer of h to a GET of a target with further fields, each "Name: value".
func get(t *testing.T, h http.Handler, target string, fields ...string) *http.Response {
	t.Helper()
	return do(t, h, http.MethodGet, target, fields...)
}

func do(t *testing.T, h http.Handler, method, target string, fields ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:8070"
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Add(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func resource(u *url.URL, kind fetchers.Kind, mediaType, body string) *fetchers.Resource {
	res := &fetchers.Resource{URL: u, Kind: kind, MediaType: mediaType, Size: -1}
	res.SetBody(io.NopCloser(strings.NewReader(body)))
	return res
}

func listingOf(u *url.URL, entries ...fetchers.Entry) *fetchers.Resource {
	res := resource(u, fetchers.Listing, "", "as sent\n")
	res.Parse = func(io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
	return res
}

func formOf(u *url.URL, lines ...string) *fetchers.Resource {
	res := resource(u, fetchers.Index, "", "")
	res.Header = textproto.MIMEHeader{"Ask": lines}
	res.Query = func(string) *url.URL { return u }
	return res
}

const message = "From: =?utf-8?q?J=C3=B6?= <jo@example.org>\r\nSubject: <b>hi</b>\r\nDate: Thu, 1 Dec 1994 10:00:00 GMT\r\n" +
	"Newsgroups: test.misc\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n" +
	"--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9 <script>\r\n" +
	"--x\r\nContent-Type: text/html; name=a.html\r\nContent-Disposition: attachment; filename=\"../a.html\"\r\n\r\n<script>alert(1)</script>\r\n--x--\r\n"

func article(id, subject, from, references string) fetchers.Entry {
	u, err := url.Parse("news:" + strings.Trim(id, "<>"))
	if err != nil {
		panic(err)
	}
	return fetchers.Entry{
		URL: u, Name: id, Title: subject, Author: from, Kind: fetchers.Document, Size: 1200,
		ModTime: time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC), Sys: nntp.Overview{MessageID: id, References: references},
	}
}

// kinds is a resource of each kind, by the name of its page in testdata.
var kinds = []struct {
	name, url, query string
	make             func(t *testing.T, u *url.URL) *fetchers.Resource
}{
	{"directory", "ftp://joe:secret@h.example/pub/", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u,
			fetchers.Entry{URL: parse(t, "ftp://h.example/pub/b.txt"), Name: "b.txt", Kind: fetchers.Document, MediaType: "text/plain", Size: 1234, ModTime: time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)},
			fetchers.Entry{URL: parse(t, "ftp://h.example/pub/a/"), Name: "a", Kind: fetchers.Listing, Size: -1, ModTime: time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC), DateOnly: true},
			fetchers.Entry{URL: parse(t, "ftp://h.example/pub/l"), Name: "l", Kind: fetchers.Unknown, Size: 1, Attributes: map[string]string{"unix.link": "<a>"}},
			fetchers.Entry{Name: "total <17>", Kind: fetchers.Unparsed, Size: -1})
	}},
	{"sorted", "ftp://h.example/pub/", "sort=name&order=down&filter=X", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u,
			fetchers.Entry{URL: parse(t, "ftp://h.example/pub/x1"), Name: "x1", Kind: fetchers.Document, Size: 1},
			fetchers.Entry{URL: parse(t, "ftp://h.example/pub/other"), Name: "other", Kind: fetchers.Document, Size: 1},
			fetchers.Entry{URL: parse(t, "ftp://h.example/pub/x2"), Name: "x2", Kind: fetchers.Document, Size: 1})
	}},
	{"menu", "gopher://h.example/1/", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u,
			fetchers.Entry{Name: "  /\\_/\\  <script>alert(1)</script>", Kind: fetchers.Text, Size: -1},
			fetchers.Entry{URL: parse(t, "gopher://h.example/0/a%3Fb"), Name: "A <b>text</b>", Kind: fetchers.Document, Size: -1},
			fetchers.Entry{URL: parse(t, "gopher://h.example/1/../up"), Name: "dots", Kind: fetchers.Listing, Size: -1},
			fetchers.Entry{URL: parse(t, "javascript:alert(1)"), Name: "script", Kind: fetchers.Unknown, Size: -1},
			fetchers.Entry{URL: parse(t, "data:text/html,<script>alert(1)</script>"), Name: "data", Kind: fetchers.Unknown, Size: -1},
			fetchers.Entry{URL: parse(t, "file:///etc/passwd"), Name: "file", Kind: fetchers.Unknown, Size: -1},
			fetchers.Entry{URL: parse(t, "gopher://h.example/7/find"), Name: "search \u202egnp.exe", Kind: fetchers.Index, Size: -1})
	}},
	{"group", "news:test.misc", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u,
			article("<1@x.example>", "first", "Joe <joe@example.org>", ""),
			article("<2@x.example>", "second", "amy@example.org (Amy)", ""),
			article("<3@x.example>", "Re: first", "Amy <amy@example.org>", "<0@x.example> <1@x.example>"),
			article("<4@x.example>", "circle", "a@example.org", "<5@x.example>"),
			article("<5@x.example>", "circle too", "a@example.org", "<4@x.example>"))
	}},
	{"hits", "wais://h.example/garden?bees", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u, fetchers.Entry{URL: parse(t, "wais://h.example/garden/TEXT/%01%02ab"), Name: "Bees", Kind: fetchers.Document, Size: 20, Score: 1000})
	}},
	{"hits-like", "wais://h.example/garden?bees", "like=wais%3A%2F%2Fh.example%2Fgarden%2FTEXT%2F%2501%2502ab", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u,
			fetchers.Entry{URL: parse(t, "wais://h.example/garden/TEXT/%01%02ab"), Name: "Bees \"<b>", Kind: fetchers.Document, Size: 20, Score: 1000},
			fetchers.Entry{URL: parse(t, "wais://h.example/garden/TEXT/%01%02cd"), Name: "Honey", Kind: fetchers.Document, Size: 20, Score: 500},
			fetchers.Entry{Name: "odd", Kind: fetchers.Unparsed, Size: -1})
	}},
	{"form", "gopher://h.example/0/order%09%09?", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return formOf(u, "Note: <b>Order</b>", "Ask: Your name?\tNo \"body\"", "AskL: Where to?\tHere", "Choose: Colour?\tred\tgreen & blue", "Select: By air?:1", "AskF: As?\tfile")
	}},
	{"form-secret", "gopher://h.example/0/o'rder%09%09?", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return formOf(u, "Ask: Your name?", "AskP: Password?")
	}},
	{"attributes", "gopher://h.example/0/report%09%09!", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "application/gopher+-menu", "+INFO: 0The <b>report</b>\t/other\tevil.example\t70\t?\r\n"+
			"+ADMIN:\r\n Admin: A <a@h.example>\r\n Mod-Date: Sat Feb  3 04:05:06 2001 <20010203040506>\r\n odd\r\n"+
			"+ABSTRACT:\r\n It is <i>short</i>.\r\n And \u202eodd.\r\n+VIEWS:\r\n Text/plain De_DE: <10k>\r\n application/postscript:<1<b>\r\n text/x\t1: <1k>\r\n"+
			"+ASK:\r\n Ask: Name?\r\n+SCORE: 7\r\n")
	}},
	{"attributes-all", "gopher://h.example/1/dir%09%09$", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return listingOf(u,
			fetchers.Entry{URL: parse(t, "gopher://h.example/0/a%09%09+"), Name: "a", Kind: fetchers.Document, Size: -1, Attributes: map[string]string{"gopher.abstract": "About <a>."}},
			fetchers.Entry{URL: parse(t, "gopher://h.example/0/f%09%09?"), Name: "f", Kind: fetchers.Index, Size: -1},
			fetchers.Entry{URL: parse(t, "gopher://h.example/0/s%09%09+%091%0D%0A+-1%0D%0Afilled%0D%0A.%0D%0A"), Name: "filled by another", Kind: fetchers.Document, Size: -1})
	}},
	{"index", "gopher://h.example/7/find", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		res := resource(u, fetchers.Index, "", "")
		res.Query = func(string) *url.URL { return u }
		return res
	}},
	{"database", "wais://h.example/garden", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		res := resource(u, fetchers.Index, "text/plain", "(:source <b>)")
		res.Query = func(string) *url.URL { return u }
		return res
	}},
	{"secret", "gemini://h.example/login", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		res := resource(u, fetchers.Index, "", "")
		res.Reply = fetchers.Reply{Code: 11, Text: "Your <password>"}
		res.Query = func(string) *url.URL { return u }
		return res
	}},
	{"session", "telnet://joe:secret@h.example/", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		res := resource(u, fetchers.Session, "", "")
		res.Session = &fetchers.SessionHint{Service: "telnet", Addr: "h.example:23", Login: fetchers.Credential{User: "joe", Password: "secret"}}
		return res
	}},
	{"redirect", "http://h.example/old", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		res := resource(u, fetchers.Redirect, "", "")
		res.Location = parse(t, "javascript:alert(1)")
		return res
	}},
	{"name", "mailto:joe@example.org?subject=a%22b", "", nil},
	{"readme", "ftp://h.example/README", "as=page", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "", "Files for everyone.\n")
	}},
	{"text", "gopher://h.example/0/a.txt", "as=page", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "text/plain", "one <b>\r\ntwo \x1b[1m\r\xff")
	}},
	{"picture", "http://h.example/a.png", "as=page", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "image/png", "\x89PNG")
	}},
	{"binary", "ftp://h.example/a.zip", "as=page", func(t *testing.T, u *url.URL) *fetchers.Resource {
		res := resource(u, fetchers.Document, "application/zip", "PK")
		res.Size, res.Validator.ModTime = 2_500_000, time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)
		return res
	}},
	{"article", "news:1@x.example", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "message/rfc822", message)
	}},
	{"gemtext", "gemini://h.example/a/", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "text/gemini", "# Page\n=> b.gmi A <b>link</b>\n=> javascript:alert(1) Bad\n* item\n> quote\n```\n<pre>\n```\n```\nopen")
	}},
	{"marc", "z39.50r://h.example/books?1", "", func(t *testing.T, u *url.URL) *fetchers.Resource {
		return resource(u, fetchers.Document, "application/marc", "00061nam a2200049   4500001000300000245000800003\x1e42\x1e10\x1faHow\x1e\x1d")
	}},
}

// TestPages: each kind of resource has a page that is well formed and without scripts.
func TestPages(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) { return k.make(t, req.URL), nil })
			target := "/fetch/" + k.url
			if k.query != "" || strings.HasPrefix(k.url, "gopher:") {
				target = "/?url=" + neturl.QueryEscape(k.url) + "&" + k.query
			}
			resp := get(t, h, target, "Accept: text/html,*/*;q=0.8")
			text := bodyOf(t, resp)
			if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s: %s\n%s", resp.Status, resp.Header.Get("Content-Type"), text)
			}
			checkPage(t, resp, text)
			if strings.Contains(text, "secret@") || strings.Contains(text, ":secret") {
				t.Error("the page has the password")
			}
			golden(t, k.name, text)
		})
	}
}

// TestStart: the first page has an example of each scheme.
func TestStart(t *testing.T) {
	resp := get(t, handlerOf(nil), "/")
	text := bodyOf(t, resp)
	checkPage(t, resp, text)
	for _, s := range schemes {
		if !strings.Contains(text, "<td>"+s+"</td>") {
			t.Errorf("no example of %s", s)
		}
	}
	for scheme, registrable := range map[string]bool{"ftp": true, "news": true, "gopher": false, "mailto": false, "urn": false} {
		if strings.Contains(text, `data-scheme="`+scheme+`"`) != registrable {
			t.Errorf("a button for %s: %v, want %v", scheme, !registrable, registrable)
		}
	}
	golden(t, "start", text)
}

// TestProblemPages: the page of a failure, and the question before a link of another site.
func TestProblemPages(t *testing.T) {
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		return nil, fetchers.NewError("fetch", req.URL, fs.ErrNotExist)
	})
	for name, fields := range map[string][]string{
		"error": nil, "question": {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"},
	} {
		resp := get(t, h, "/fetch/ftp://h.example/<x>&y", fields...)
		text := bodyOf(t, resp)
		checkPage(t, resp, text)
		golden(t, name, text)
	}
}

func TestStyle(t *testing.T) {
	resp := get(t, handlerOf(nil), "/style.css")
	if text := bodyOf(t, resp); resp.StatusCode != 200 || strings.Contains(text, "url(") || strings.Contains(text, "@import") {
		t.Errorf("%s: %s", resp.Status, text)
	}
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || text != string(want) {
		t.Errorf("%s is another page now (go test ./gateway -args -write): %v\n%s", file, err, text)
	}
}

// checkPage checks the policies of a page of the gateway, that its elements nest, and that
// nothing in it runs or leads elsewhere.
func checkPage(t *testing.T, resp *http.Response, text string) {
	t.Helper()
	policy := resp.Header.Get("Content-Security-Policy")
	if strings.Count(policy, "script-src") != strings.Count(text, "<script") || strings.Contains(policy, "script-src 'self'") {
		t.Errorf("policy %q", policy)
	}
	for _, rule := range []string{"default-src 'none'", "style-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, rule) {
			t.Errorf("policy %q lacks %s", policy, rule)
		}
	}
	if resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("header %v", resp.Header)
	}
	if err := wellFormed(text, policy); err != nil {
		t.Error(err)
	}
}

// wellFormed returns an error if elements do not nest, or if something leads elsewhere or runs. A
// script may run whose hash is in the policy.
func wellFormed(text, policy string) error {
	var open []string
	empty := map[string]bool{"meta": true, "link": true, "input": true, "img": true}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() == io.EOF && len(open) == 0 {
				return nil
			}
			return fmt.Errorf("%v, and %q are open", z.Err(), open)
		case html.StartTagToken:
			tag := z.Token()
			if tag.Data == "script" {
				z.Next() // the text of the script
				sum := sha256.Sum256(z.Raw())
				if allowed := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; len(tag.Attr) > 0 || !strings.HasSuffix(policy, "; "+allowed) {
					return fmt.Errorf("there is a script, and the policy is %q", policy)
				}
			}
			if tag.Data == "style" || tag.Data == "iframe" {
				return fmt.Errorf("there is an element %s", tag.Data)
			}
			for _, a := range tag.Attr {
				leads := a.Key == "href" || a.Key == "src" || a.Key == "action"
				if leads && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "mailto:") && a.Val != "#main" || strings.HasPrefix(a.Val, "//") {
					return fmt.Errorf("%s leads to %s", tag.Data, a.Val)
				}
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					return fmt.Errorf("%s has an attribute %s", tag.Data, a.Key)
				}
			}
			if !empty[tag.Data] {
				open = append(open, tag.Data)
			}
		case html.EndTagToken:
			tag := z.Token().Data
			if len(open) == 0 || open[len(open)-1] != tag {
				return fmt.Errorf("%s ends within %q", tag, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// TestStatuses: the class of a failure is a status, and its page or record has the reason.
func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		status int
		class  string
	}{
		{"missing", fs.ErrNotExist, 404, "not-found"},
		{"denied", fs.ErrPermission, 403, "denied"},
		{"login", fetchers.ErrLogin, 403, "login"},
		{"blocked", fetchers.ErrBlocked, 403, "blocked"},
		{"range", &fetchers.RangeError{Offset: 9, Size: 5}, 416, "range"},
		{"resolve", fetchers.ErrResolve, 502, "resolve"},
		{"tls", fetchers.ErrTLS, 502, "tls"},
		{"protocol", fetchers.ErrProtocol, 502, "protocol"},
		{"truncated", io.ErrUnexpectedEOF, 502, "truncated"},
		{"stalled", fetchers.ErrStalled, 504, "timeout"},
		{"deadline", context.DeadlineExceeded, 504, "timeout"},
		{"redirect", fetchers.ErrRedirect, 502, "redirect"},
		{"too large", fetchers.ErrTooLarge, 502, "too-large"},
		{"name only", fetchers.ErrNotRetrievable, 501, "not-retrievable"},
		{"of no class", errors.New("odd <b>"), 502, "read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
				return nil, fetchers.NewError("fetch", req.URL, c.err)
			})
			resp := get(t, h, "/fetch/ftp://h.example/x")
			text := bodyOf(t, resp)
			if resp.StatusCode != c.status || strings.Contains(text, "odd <b>") {
				t.Errorf("%s, want %d\n%s", resp.Status, c.status, text)
			}
			checkPage(t, resp, text)
			resp = get(t, h, "/?url=ftp%3A%2F%2Fh.example%2Fx&as=json")
			if text := bodyOf(t, resp); resp.StatusCode != c.status || !strings.Contains(text, `"class":"`+c.class+`"`) {
				t.Errorf("%s, want class %s\n%s", resp.Status, c.class, text)
			}
			if want := "bytes */5"; c.status == 416 && resp.Header.Get("Content-Range") != want {
				t.Errorf("Content-Range %q, want %q", resp.Header.Get("Content-Range"), want)
			}
		})
	}
}

// TestDocuments: bytes come as they are, in an origin of their own.
func TestDocuments(t *testing.T) {
	modified := time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		if req.Have.ETag == `"1"` {
			res := resource(req.URL, fetchers.Unchanged, "", "")
			res.Validator.ETag = `"1"`
			return res, nil
		}
		body := "<script>alert(1)</script>"
		res := resource(req.URL, fetchers.Document, "text/html", body)
		res.Size, res.Validator = int64(len(body)), fetchers.Validator{ETag: `"1"`, ModTime: modified}
		res.Header = textproto.MIMEHeader{"Content-Type": {"text/html; charset=koi8-r"}, "Set-Cookie": {"a=b"}}
		if req.Range != (fetchers.Range{}) {
			part, err := req.Range.In(res.Size)
			if err != nil {
				return nil, fetchers.NewError("fetch", req.URL, err)
			}
			res.Range = part
			res.SetBody(io.NopCloser(strings.NewReader(body[part.Offset : part.Offset+part.Length])))
		}
		if req.Describe {
			res.SetBody(nil)
		}
		return res, nil
	})
	const target = "/fetch/http://h.example/a.html?x=1"
	resp := get(t, h, target, "Accept: text/html")
	if text := bodyOf(t, resp); text != "<script>alert(1)</script>" || resp.Header.Get("Content-Type") != "text/html; charset=koi8-r" || resp.ContentLength != 25 {
		t.Errorf("%s %v\n%s", resp.Status, resp.Header, text)
	}
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox; default-src 'none'") || strings.Contains(policy, "allow-scripts") {
		t.Errorf("policy %q", policy)
	}
	if resp.Header.Get("Set-Cookie") != "" || resp.Header.Get("Last-Modified") != "Thu, 01 Dec 1994 10:00:00 GMT" || resp.Header.Get("ETag") != `"1"` {
		t.Errorf("header %v", resp.Header)
	}
	resp = get(t, h, target, "Range: bytes=8-12")
	if text := bodyOf(t, resp); resp.StatusCode != 206 || text != "alert" || resp.Header.Get("Content-Range") != "bytes 8-12/25" {
		t.Errorf("%s %q %q", resp.Status, resp.Header.Get("Content-Range"), text)
	}
	if resp = get(t, h, target, "Range: bytes=90-"); resp.StatusCode != 416 || resp.Header.Get("Content-Range") != "bytes */25" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	if resp = get(t, h, target, `If-None-Match: "1"`); resp.StatusCode != 304 || bodyOf(t, resp) != "" {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	if resp = do(t, h, "HEAD", target); resp.StatusCode != 200 || resp.ContentLength != 25 || bodyOf(t, resp) != "" {
		t.Errorf("HEAD: %s %v", resp.Status, resp.Header)
	}
	if resp = get(t, h, target, "Accept: application/json"); !strings.Contains(bodyOf(t, resp), `"kind":"document"`) {
		t.Errorf("JSON: %s %v", resp.Status, resp.Header)
	}
}

// TestStatusesAreDocumented: docs/gateway.md has the status of every class.
func TestStatusesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	for class, status := range gateway.Statuses {
		found := false
		for line := range strings.Lines(string(text)) {
			found = found || strings.Contains(line, "`"+string(class)+"`") && strings.HasSuffix(strings.TrimSpace(line), fmt.Sprintf("| %d |", status))
		}
		if !found {
			t.Errorf("no row has %s with %d", class, status)
		}
	}
	for _, class := range record.Classes() {
		if gateway.Statuses[class] == 0 {
			t.Errorf("%s has no status", class)
		}
	}
}
