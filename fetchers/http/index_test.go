package http_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// page returns a Document at u.
func page(u *url.URL, body io.Reader) *fetchers.Resource {
	res := &fetchers.Resource{URL: u, Kind: fetchers.Document, MediaType: "text/html"}
	res.SetBody(io.NopCloser(body))
	return res
}

// isIndex calls Index with a readable page.
func isIndex(t *testing.T, res *fetchers.Resource) bool {
	t.Helper()
	is, err := http.Index(res)
	if err != nil {
		t.Error(err)
	}
	return is
}

// show formats an entry as a line.
func show(e fetchers.Entry) string {
	to, when := "nowhere", "-"
	if e.URL != nil {
		to = e.URL.String()
	}
	if !e.ModTime.IsZero() {
		when = e.ModTime.Format("2006-01-02T15:04:05Z07:00")
	}
	line := fmt.Sprintf("%s %d %s %s -> %s", e.Kind, e.Size, when, e.Name, to)
	if size := e.Attributes["http.size"]; size != "" {
		line += " (" + size + ")"
	}
	return line
}

// TestIndexPages reads pages of real servers about one directory, each next to its entries.
func TestIndexPages(t *testing.T) {
	names, err := filepath.Glob("../../testdata/index/*.html")
	if err != nil || len(names) < 14 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadFile(strings.TrimSuffix(name, ".html") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			first, want, _ := strings.Cut(string(entries), "\n")
			res := page(parse(t, first), iotest.OneByteReader(strings.NewReader(string(raw))))
			if !isIndex(t, res) || res.Kind != fetchers.Listing {
				t.Fatal("not recognised")
			}
			var got strings.Builder
			for e, err := range res.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&got, show(e))
			}
			if got.String() != want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}

			res = page(parse(t, first), strings.NewReader(string(raw)))
			isIndex(t, res)
			if body, err := io.ReadAll(res.Body); string(body) != string(raw) || err != nil || res.Received() != int64(len(raw)) || !res.Confirmed() {
				t.Errorf("the page has changed, or %v", err)
			}
			named := filepath.Base(name) != "go.html" // it does not name its directory
			if elsewhere := page(parse(t, "http://h.example/elsewhere/"), strings.NewReader(string(raw))); isIndex(t, elsewhere) == named {
				t.Errorf("recognised at another path: %v", !named)
			}
		})
	}
}

func TestIndexOrNot(t *testing.T) {
	const pub = "http://h.example/pub/"
	for _, c := range []struct {
		name, url, page string
		want            bool
	}{
		{"a title", pub, "<title>Index of /pub/</title>", true},
		{"a heading", pub, "<title>Our files</title><h1> Index of\n/pub/</h1>", false},
		{"a heading on one line", pub, "<title>Our files</title><h1>\n <b>Index of /pub</b></h1>", true},
		{"with a query", pub + "?C=M;O=A", "<title>Index of /pub</title>", true},
		{"the root", "http://h.example", "<title>Index of /</title>", true},
		{"escaped", "http://h.example/a%20%26%20b/", "<title>Index of /a &amp; b/</title>", true},
		{"not a directory", "http://h.example/pub", "<title>Index of /pub</title>", false},
		{"a slash in the query", "http://h.example/pub?/", "<title>Index of /pub</title>", false},
		{"another directory", pub, "<title>Index of /</title>", false},
		{"a page about an index", pub, "<title>Index of /pub/ and more</title>", false},
		{"a page that quotes one", pub, "<title>How to</title><pre>&lt;title>Index of /pub/&lt;/title></pre><!-- <title>Index of /pub/</title> -->", false},
		{"the second heading", pub, "<h1>How to</h1><h1>Index of /pub/</h1>", false},
		{"a title that is the name", pub, "<title>pub</title><h1>Welcome to the pub</h1>", false},
		{"mini_httpd's root", "http://h.example/", "<title>Index of ./</title>", true},
		{"mini_httpd below the root", pub, "<title>Index of pub/</title>", true},
		{"mini_httpd's root elsewhere", pub, "<title>Index of ./</title>", false},
		{"merecat's root", "http://h.example/", "<title>Index of http://vm/</title>", true},
		{"merecat, escaped", "http://h.example/a%20%26%20b/", "<title>Index of http://vm/a%20%26%20b/</title>", true},
		{"merecat elsewhere", pub, "<title>Index of http://vm/other/</title>", false},
		{"a URL of something else", pub, "<title>Index of ftp://vm/pub/</title>", false},
		{"webfs's root", "http://h.example/", "<title>h.example/</title><h1>listing: \n<a href='/'>/</a></h1>", true},
		{"webfs elsewhere", pub, "<title>h.example/</title><h1>listing: \n<a href='/'>/</a></h1>", false},
		{"nothing but links", pub, "<pre>\n<a href=\"a%20b\">a b</a>\n<a href=\"c/\">c/</a>\n</pre>\n", true},
		{"no links at all", pub, "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n</pre>\n", true},
		{"more links than are looked at", pub, "<pre>\n" + strings.Repeat("<a href=\"some-name\">some-name</a>\n", 4000), true},
		{"links and a word", pub, "<pre>\n<a href=\"a\">a</a> is good\n</pre>\n", false},
		{"a link by another name", pub, "<pre>\n<a href=\"a\">here</a>\n</pre>\n", false},
		{"a link in a link", pub, "<pre>\n<a href=\"a\"><a href=\"b\">b</a></a>\n</pre>\n", false},
		{"something before the links", pub, "<h1>x</h1>\n<pre>\n<a href=\"a\">a</a>\n</pre>\n", false},
		{"something behind the links", pub, "<pre>\n<a href=\"a\">a</a>\n</pre>\n<p>x</p>\n", false},
		{"a word behind the links", pub, "<pre>\n<a href=\"a\">a</a>\n</pre>\nx\n", false},
		{"a pre element of text", pub, "<pre>\nhello\n</pre>\n", false},
		{"Caddy's root", "http://h.example/", "<title>/</title><h1><a>/</a></h1>", true},
		{"far behind", pub, strings.Repeat(" ", 40<<10) + "<title>Index of /pub/</title>", false},
		{"nothing", pub, "", false},
		{"no page", pub, "\x00\xff<<<", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := page(parse(t, c.url), strings.NewReader(c.page))
			if got := isIndex(t, res); got != c.want || (res.Kind == fetchers.Listing) != c.want {
				t.Errorf("Index = %v", got)
			}
			if body, err := io.ReadAll(res.Body); string(body) != c.page || err != nil {
				t.Errorf("the page has changed, or %v", err)
			}
		})
	}
	for _, change := range []func(*fetchers.Resource){
		func(res *fetchers.Resource) { res.MediaType = "text/plain" },
		func(res *fetchers.Resource) { res.Kind = fetchers.Unchanged },
		func(res *fetchers.Resource) { res.Range = fetchers.Range{Offset: 0, Length: 40} },
		func(res *fetchers.Resource) { res.URL = parse(t, "ftp://h.example/pub/") },
	} {
		res := page(parse(t, pub), strings.NewReader("<title>Index of /pub/</title>"))
		change(res)
		if isIndex(t, res) || res.Received() != 0 {
			t.Errorf("%+v is an index", res)
		}
	}
}

// Apart from Kind and Parse, Index does not change the Resource.
func TestIndexBody(t *testing.T) {
	const text = "<title>Index of /</title><a href=a>a</a>"
	res := page(parse(t, "http://h.example/"), strings.NewReader(text))
	isIndex(t, res)
	res.Body.Read(make([]byte, 10))
	for range 2 {
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := res.Body.Read(make([]byte, 10)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read after Close: %v", err)
	}
	res = page(parse(t, "http://h.example/"), io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !isIndex(t, res) {
		t.Error("not recognised")
	}
	got := ""
	for e, err := range res.Entries() {
		got += e.Name
		if err != nil {
			got += "!"
		}
	}
	if got != "a!" {
		t.Errorf("entries of a page that is cut short are %q", got)
	}
}

// If reading fails before the page can be recognized as an index, that is an error.
func TestIndexReadError(t *testing.T) {
	for _, c := range []struct {
		text string
		is   bool
	}{{"", false}, {"<html><head><title>Welc", false}, {"<title>Index of /</title><a href=a>a</a>", true}, {"<pre>\n<a href=\"a\">a</a>\n", true}} {
		for _, why := range []error{io.ErrUnexpectedEOF, fetchers.ErrStalled} {
			res := page(parse(t, "http://h.example/"), io.MultiReader(strings.NewReader(c.text), iotest.ErrReader(why)))
			is, err := http.Index(res)
			if is != c.is || errors.Is(err, why) == c.is {
				t.Errorf("%q: Index = %v, %v", c.text, is, err)
			}
			if body, err := io.ReadAll(res.Body); string(body) != c.text || !errors.Is(err, why) {
				t.Errorf("%q: the body is %q, %v", c.text, body, err)
			}
		}
	}
}

// TestIndexLinks checks which links are entries of /pub/.
func TestIndexLinks(t *testing.T) {
	const unparsed = "unparsed -1 - "
	for _, c := range []struct{ link, want string }{
		{`<a href="a.txt">`, "document -1 - a.txt -> http://u:p@h.example/pub/a.txt"},
		{`<A HREF=" ./a.txt&#10;">`, "document -1 - a.txt -> http://u:p@h.example/pub/a.txt"},
		{`<a href="sub/">`, "listing -1 - sub -> http://u:p@h.example/pub/sub/"},
		{`<a href="/pub/a">`, "document -1 - a -> http://u:p@h.example/pub/a"},
		{`<a href="/%70ub/%61">`, "document -1 - a -> http://u:p@h.example/pub/%61"},
		{`<a href="//h.example:80/pub/a">`, "document -1 - a -> http://u:p@h.example/pub/a"},
		{`<a href="http://evil:x@h.example/pub/a">`, "document -1 - a -> http://u:p@h.example/pub/a"},
		{`<a href="x/../a b">`, "document -1 - a b -> http://u:p@h.example/pub/a%20b"},
		{`<a href="é">`, "document -1 - é -> http://u:p@h.example/pub/%C3%A9"},
		{`<a href="100%.txt">`, unparsed + "100%.txt -> nowhere"},
		{`<a href="">`, ""}, {`<a name="x">`, ""}, {`<a href="#x">`, ""},
		{`<a href="../">`, ""}, {`<a href="..">`, ""}, {`<a href=".">`, ""}, {`<a href="/">`, ""}, {`<a href="//h.example">`, ""},
		{`<a href="?C=N;O=D">`, ""}, {`<a href="a?x">`, ""}, {`<a href="a#x">`, ""},
		{`<a href="a/b">`, ""}, {`<a href="a//">`, ""}, {`<a href="/a">`, ""}, {`<a href="/pub">`, ""},
		{`<a href="a%2Fb">`, ""}, {`<a href="%2e%2e/">`, ""}, {`<a href="%2E">`, ""}, {`<a href="..%2fx">`, ""},
		{`<a href="https://h.example/pub/a">`, ""}, {`<a href="http://h.example:8080/pub/a">`, ""},
		{`<a href="http://i.example/pub/a">`, ""}, {`<a href="ftp://h.example/pub/a">`, ""},
		{`<a href="javascript:a">`, ""}, {`<a href="mailto:a@h.example">`, ""},
		{`<!-- <a href="a"> -->`, ""}, {`<script><a href="a"></script>`, ""}, {`<link href="a">`, ""},
	} {
		got := ""
		for e, err := range http.ParseIndex(parse(t, "http://u:p@h.example/pub/?C=M#x"), strings.NewReader(c.link)) {
			if err != nil {
				t.Error(err)
			}
			got += show(e)
		}
		if got != c.want {
			t.Errorf("%s is %q, want %q", c.link, got, c.want)
		}
	}
}

// Hostile input is bounded, and does not affect earlier entries.
func TestIndexBounds(t *testing.T) {
	base := parse(t, "http://h.example/")
	endless := io.MultiReader(strings.NewReader("<a href=a>a</a><a href='"), neverending('x'))
	var got []string
	for e, err := range http.ParseIndex(base, endless) {
		if err != nil {
			if !errors.Is(err, fetchers.ErrProtocol) {
				t.Error(err)
			}
			got = append(got, "error")
			continue
		}
		got = append(got, e.Name)
	}
	if strings.Join(got, " ") != "a error" {
		t.Errorf("entries %q", got)
	}
	n := 0
	for range http.ParseIndex(base, io.LimitReader(repeated("<a href=a>a</a> <a href=b>b</a> 2026-01-02 03:04 1 "), 1<<20)) {
		if n++; n == 1000 {
			break
		}
	}
	if n != 1000 {
		t.Errorf("%d entries", n)
	}
}

type neverending byte

func (c neverending) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

type repeated string

func (s repeated) Read(p []byte) (int, error) { return copy(p, s), nil }

// FuzzParseIndex checks that every entry with a URL is a direct child of the base, also of a page
// that Index accepts, and that the body of this page is unchanged.
func FuzzParseIndex(f *testing.F) {
	names, _ := filepath.Glob("../../testdata/index/*.html")
	for _, name := range names {
		if raw, err := os.ReadFile(name); err == nil {
			f.Add("http://h.example/pub/", string(raw))
		}
	}
	for _, title := range []string{"Index of ./", "Index of http://h.example/pub/", "listing: /pub/", "Index of /pub/"} {
		f.Add("http://h.example/pub/", "<title>"+title+"</title><h1>"+title+"</h1><pre><a href=\".\">.</a>\n<a href=\"./a%0D%0Ab\">a</a> 5\n<a href=\"?x\">x</a></pre>")
	}
	f.Add("http://u:p@h.example/a/../b/%2e/x?q#f", "<a href=..>x</a><a href='//h.example/b/%2F'> <a href=/b/c/>")
	f.Fuzz(func(t *testing.T, base, text string) {
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return
		}
		for e, err := range http.ParseIndex(u, strings.NewReader(text)) {
			if err == nil {
				checkChild(t, u, e)
			}
		}
		res := page(u, strings.NewReader(text))
		if !isIndex(t, res) {
			return
		}
		for e, err := range res.Entries() {
			if err == nil {
				checkChild(t, u, e)
			}
		}
		again := page(u, strings.NewReader(text))
		isIndex(t, again)
		if body, err := io.ReadAll(again.Body); err != nil || string(body) != text {
			t.Errorf("the page has become %q, %v", body, err)
		}
	})
}

// checkChild checks that e is a child of the directory base.
func checkChild(t *testing.T, base *url.URL, e fetchers.Entry) {
	t.Helper()
	if e.URL == nil {
		if e.Kind != fetchers.Unparsed {
			t.Fatalf("%+v leads nowhere", e)
		}
		return
	}
	dir, err := base.Resolve("./")
	if err != nil {
		t.Fatal(err)
	}
	again, err := url.Parse(e.URL.String())
	if err != nil {
		t.Fatalf("%s: %v", e.URL, err)
	}
	resolved, err := dir.Resolve(again.String())
	if err != nil {
		t.Fatal(err)
	}
	element, below := strings.CutPrefix(resolved.Path, dir.Path)
	element = strings.TrimSuffix(element, "/")
	user := fmt.Sprint(e.URL.User) == fmt.Sprint(base.User)
	if !below || element == "" || strings.Contains(element, "/") || !again.SameOrigin(base) || again.Query+again.Fragment != "" || !user && base.User != e.URL.User {
		t.Fatalf("%s is not in %s", e.URL, base)
	}
	if e.Name == "" || e.Name == "." || e.Name == ".." || strings.Contains(e.Name, "/") {
		t.Fatalf("the name %q", e.Name)
	}
}
