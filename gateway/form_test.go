package gateway_test

import (
	neturl "net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
)

// realHandler returns a Handler in front of the protocols themselves.
func realHandler(t *testing.T) *gateway.Handler {
	f := &fetchers.Limiter{Fetcher: &fetchers.Client{Fetcher: fetch.Protocols(nil)}}
	t.Cleanup(f.CloseIdle)
	return &gateway.Handler{Fetcher: f}
}

// order is a server of Gopher+ with forms and views.
func order(t *testing.T) *gophertest.Server {
	s := gophertest.NewServer(fstest.MapFS{"plain.txt": {Data: []byte("plain\n")}},
		gophertest.Form("/order", []string{"Note: For <you>", "Ask: Name?\tNobody", "AskL: Where?", "Choose: Colour?\tred\tgreen", "Select: By air?:1"}, func(lines []string) string {
			return "Ordered <" + strings.Join(lines, "|") + ">\n"
		}),
		gophertest.Form("/login", []string{"Ask: Name?", "AskP: Password?"}, func([]string) string { return "in\n" }),
		gophertest.Form("/upload", []string{"ChooseF: File?"}, func([]string) string { return "up\n" }),
		gophertest.Form("/nothing", []string{"Note: Press on"}, func([]string) string { return "on\n" }),
		gophertest.View("/report", "text/plain", "En_US", "The report\n"),
		gophertest.View("/report", "text/plain", "De_DE", "Der Bericht\n"),
		gophertest.Attribute("/report", "ABSTRACT", "About <bees>"),
		gophertest.OneTab())
	t.Cleanup(s.Close)
	return s
}

// asked is the address for a URL and parameters.
func asked(u string, params ...string) string {
	return "/?url=" + neturl.QueryEscape(u) + strings.Join(append([]string{""}, params...), "&")
}

// TestForm: the page of a form has its fields. A browser makes an address of them, which has the
// answer of the item. The links of that page lead to the same, and no page shows an answer.
func TestForm(t *testing.T) {
	s := order(t)
	h := realHandler(t)
	item := s.URL + "/0/order%09%09%3F"
	resp := get(t, h, asked(item), "Accept: text/html")
	text := bodyOf(t, resp)
	checkPage(t, resp, text)
	for _, want := range []string{`name="answer1" type="text" value="Nobody"`, `<textarea id="answer2" name="answer2"`, `<option value="green">`, `<select id="answer4"`, "For &lt;you&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	answers := []string{"answer1=Al+%3Cb%3E", "answer2=One+Street%0D%0ATown", "answer3=green", "answer4=0"}
	const ordered = "Ordered <Al <b>|2|One Street|Town|green|0>\n"
	resp = get(t, h, asked(item, answers...), "Accept: text/html", "Range: bytes=0-1", "If-Modified-Since: Thu, 01 Dec 2044 10:00:00 GMT")
	if text := bodyOf(t, resp); resp.StatusCode != 200 || strings.TrimSuffix(text, "\n") != strings.TrimSuffix(ordered, "\n") {
		t.Errorf("%s %q", resp.Status, text)
	}
	if name := resp.Header.Get("Content-Disposition"); strings.Contains(name, "Al") {
		t.Errorf("the name of the file is %q", name)
	}
	resp = get(t, h, asked(item, append(answers, "as=page")...), "Accept: text/html")
	text = bodyOf(t, resp)
	checkPage(t, resp, text)
	if !strings.Contains(text, "Ordered &lt;Al") || strings.Contains(text, "***") || strings.Contains(text, "redirection") {
		t.Errorf("%s\n%s", resp.Status, text)
	}
	if link := "answer1=Al&#43;%3Cb%3E&amp;answer2=One&#43;Street%0ATown&amp;answer3=green&amp;answer4=0&amp;as=bytes"; !strings.Contains(text, link) {
		t.Errorf("no link %s in\n%s", link, text)
	}
	if resp = get(t, h, asked(item, "answer3=red")); bodyOf(t, resp) != "Ordered <Nobody|0|red|1>\n" {
		t.Errorf("defaults: %s", resp.Status)
	}
	for name, c := range map[string]struct {
		target string
		status int
		words  string
	}{
		"a field too many":           {asked(item, "answer5=x"), 400, "no field 5"},
		"a choice that there is not": {asked(item, "answer3=blue"), 400, "one of"},
		"yes for 1":                  {asked(item, "answer4=yes"), 400, "0 or 1"},
		"two lines for one":          {asked(item, "answer1=a%0Ab"), 400, "one line"},
		"a dot":                      {asked(item, "answer2=a%0A.%0Ab"), 400, "cannot be a single dot"},
		"a NUL":                      {asked(item, "answer1=a%00"), 400, "NUL"},
		"a CR":                       {asked(item, "answer1=a%0Db"), 400, "CR"},
		"an item without a form":     {asked(s.URL+"/0/plain.txt", "answer1=x"), 400, "no form"},
		"a form that is not there":   {asked(s.URL+"/0/plain.txt%09%09%3F", "answer1=x"), 502, "no form"},
		"a secret":                   {asked(s.URL+"/0/login%09%09%3F", "answer1=x", "answer2=hunter2"), 403, "no secrets"},
		"a file":                     {asked(s.URL+"/0/upload%09%09%3F", "answer1=x"), 403, "no files"},
	} {
		resp := get(t, h, c.target)
		text := bodyOf(t, resp)
		if resp.StatusCode != c.status || !strings.Contains(text, c.words) || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %s, want %d and %q\n%s", name, resp.Status, c.status, c.words, text)
		}
		checkPage(t, resp, text)
	}
	for _, r := range s.Requests() {
		if slices.Contains(r.Answers, "hunter2") || r.Answers != nil && !strings.HasPrefix(r.Selector, "/order") {
			t.Errorf("sent %q", r.Octets)
		}
	}
}

// TestFormIsNotFilled: a form with a password, or with a file, has a command in place of fields.
func TestFormIsNotFilled(t *testing.T) {
	s := order(t)
	for path, words := range map[string]string{"/0/login%09%09%3F": "secret", "/0/upload%09%09%3F": "file of this machine", "/0/nothing%09%09%3F": "no field"} {
		resp := get(t, realHandler(t), asked(s.URL+path))
		text := bodyOf(t, resp)
		checkPage(t, resp, text)
		if resp.StatusCode != 200 || !strings.Contains(text, words) || !strings.Contains(text, "fetch &#39;"+s.URL+path+"&#39;") || strings.Contains(text, "answer1") {
			t.Errorf("%s: %s\n%s", path, resp.Status, text)
		}
	}
}

// TestAttributes: the attributes of an item have links to its views, which lead there.
func TestAttributes(t *testing.T) {
	s := order(t)
	h := realHandler(t)
	resp := get(t, h, asked(s.URL+"/0/report%09%09!"), "Accept: text/html")
	text := bodyOf(t, resp)
	checkPage(t, resp, text)
	view := "/fetch/" + s.URL + "/0/report%09%09+text/plain%20De_DE"
	if !strings.Contains(text, `<a href="`+strings.ReplaceAll(view, "+", "&#43;")+`">text/plain De_DE</a>`) || !strings.Contains(text, "About &lt;bees&gt;") {
		t.Errorf("%s\n%s", resp.Status, text)
	}
	if text := bodyOf(t, get(t, h, view)); text != "Der Bericht\n" && text != "Der Bericht\r\n" {
		t.Errorf("%q", text)
	}
}

// TestLike: the next search has the marked documents of a page of hits, and its page has them
// marked.
func TestLike(t *testing.T) {
	s := waistest.NewServer(fstest.MapFS{
		"garden/bees.txt":  {Data: []byte("Keeping bees\n\nHoney of the orchard.\n")},
		"garden/apple.txt": {Data: []byte("Apples\n\nThey grow in the orchard.\n")},
		"garden/stone.txt": {Data: []byte("Stones\n")},
	})
	t.Cleanup(s.Close)
	h := realHandler(t)
	text := bodyOf(t, get(t, h, asked(s.URL+"/garden?bees"), "Accept: text/html"))
	_, value, _ := strings.Cut(text, `name="like" value="`)
	value, _, found := strings.Cut(value, `"`)
	if !found || strings.Contains(text, "Apples") {
		t.Fatalf("no document to mark in\n%s", text)
	}
	like := "like=" + neturl.QueryEscape(value)
	resp := get(t, h, asked(s.URL+"/garden", "q=stones", like), "Accept: text/html")
	if resp.StatusCode != 303 {
		t.Fatal(resp.Status)
	}
	resp = get(t, h, resp.Header.Get("Location"), "Accept: text/html")
	text = bodyOf(t, resp)
	checkPage(t, resp, text)
	for _, want := range []string{"Apples", "Stones", "Keeping bees", "similar to 1 document", `aria-label="similar to Keeping bees" checked`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if sent := s.Transcript(); !slices.Contains(sent, `Search "garden" "stones" like 1 100`) {
		t.Errorf("sent %q", sent)
	}
	if text = bodyOf(t, get(t, h, asked(s.URL+"/garden", "q=", like))); strings.Contains(text, "Apples") {
		t.Error("a redirection with a page")
	}
	if text = bodyOf(t, get(t, h, asked(s.URL+"/garden", like), "Accept: application/json")); !strings.Contains(text, "Apples") || strings.Contains(text, "Stones") {
		t.Errorf("without words: %s", text)
	}
}
