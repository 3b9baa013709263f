package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// A noted is a directory with media types, as a mirror.Copy is.
type noted struct {
	fstest.MapFS
	types map[string]string
}

func (n noted) MediaType(name string) string { return n.types[name] }

var copyTime = time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)

// copyHandler returns a Handler with a Copy, and the address of the Copy with its token.
func copyHandler(t *testing.T) (h *gateway.Handler, address string) {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"h.example/index.html": "<p>the index", "h.example/page": "<p>a page", "h.example/a.css": "p{}", "h.example/notes": "plain words",
		"h.example/octets": "\x00\x01", "h.example/caf\u00e9 #1.txt": "caf\u00e9", "h.example/pub/<b>.txt": "x", "h.example/pub/sub/x.txt": "x",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text), ModTime: copyTime}
	}
	h = handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		t.Errorf("fetched %s", req.URL)
		return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrBlocked)
	})
	h.Copy = noted{files, map[string]string{"h.example/page": "application/xhtml+xml"}}
	resp := get(t, h, "/copy/")
	address = strings.TrimSuffix(resp.Header.Get("Location"), "/")
	if resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(address, "/copy-") || len(address) < len("/copy-")+20 {
		t.Fatalf("%s %q", resp.Status, address)
	}
	return h, address
}

// TestCopy: a copy is shown as it is arranged, with the types that are noted.
func TestCopy(t *testing.T) {
	h, at := copyHandler(t)
	for _, c := range []struct {
		target, mediaType, words string
	}{
		{"/h.example/", "text/html; charset=utf-8", "<p>the index"},
		{"/h.example/index.html", "text/html; charset=utf-8", "<p>the index"},
		{"/h.example/page", "application/xhtml+xml", "<p>a page"},
		{"/h.example/a.css", "text/css", "p{}"},
		{"/h.example/notes", "text/plain; charset=utf-8", "plain words"},
		{"/h.example/octets", "application/octet-stream", "\x00\x01"},
		{"/h.example/caf%C3%A9%20%231.txt", "text/plain; charset=utf-8", "caf\u00e9"},
		{"/", "text/html; charset=utf-8", `<a href="` + at + `/h.example/">h.example/</a>`},
		{"/h.example/pub/", "text/html; charset=utf-8", `<a href="` + at + `/h.example/pub/%3Cb%3E.txt">&lt;b&gt;.txt</a>`},
	} {
		resp := get(t, h, at+c.target)
		text := bodyOf(t, resp)
		mediaType := resp.Header.Get("Content-Type")
		if resp.StatusCode != 200 || !strings.HasPrefix(c.mediaType, mediaType) || !strings.Contains(text, c.words) {
			t.Errorf("%s: %s %q, want %q and %q\n%s", c.target, resp.Status, mediaType, c.mediaType, c.words, text)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if folder := strings.HasSuffix(c.target, "/") && c.target != "/h.example/"; folder != strings.Contains(policy, "frame-ancestors 'none'") ||
			folder == strings.HasPrefix(policy, "sandbox;") || strings.Contains(policy, "script-src") || !strings.HasPrefix(strings.TrimPrefix(policy, "sandbox; "), "default-src 'none'") {
			t.Errorf("%s: policy %q", c.target, policy)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", c.target, resp.Header)
		}
	}
	resp := get(t, h, at+"/h.example/pub")
	if want := at + "/h.example/pub/"; resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != want {
		t.Errorf("a directory without a slash: %s %q", resp.Status, resp.Header.Get("Location"))
	}
	if text := bodyOf(t, get(t, h, "/")); !strings.Contains(text, `<a href="/copy/">`) {
		t.Errorf("the first page does not lead to the copy\n%s", text)
	}
	h.Copy = nil
	if resp := get(t, h, "/copy/"); resp.StatusCode != 404 {
		t.Errorf("without a copy: %s", resp.Status)
	}
}

// TestCopyConditions: ranges and conditions of HTTP hold for the files of a copy.
func TestCopyConditions(t *testing.T) {
	h, at := copyHandler(t)
	file := at + "/h.example/notes"
	tag := get(t, h, file).Header.Get("ETag")
	for _, c := range []struct {
		field  string
		status int
		body   string
	}{
		{"Range: bytes=6-", 206, "words"},
		{"Range: bytes=-5", 206, "words"},
		{"Range: bytes=100-", 416, ""},
		{"If-None-Match: " + tag, 304, ""},
		{`If-None-Match: "x"`, 200, "plain words"},
		{"If-Modified-Since: " + copyTime.Format(http.TimeFormat), 304, ""},
	} {
		resp := get(t, h, file, c.field)
		if text := bodyOf(t, resp); resp.StatusCode != c.status || c.body != "" && text != c.body {
			t.Errorf("%s: %s %q", c.field, resp.Status, text)
		}
	}
	if resp := do(t, h, "HEAD", file); resp.ContentLength != 11 || bodyOf(t, resp) != "" {
		t.Errorf("HEAD: %v", resp.Header)
	}
}

// TestCopyRefusals: no name leads out of a copy, and no page of another site reaches it.
func TestCopyRefusals(t *testing.T) {
	h, at := copyHandler(t)
	for _, path := range []string{
		"/..", "/../", "/%2e%2e/%2e%2e/etc/passwd", "/h.example/../../x", "/h.example%2Findex.html", "/h.example%5Cindex.html",
		"/h.example/index.html/", "/h.example//index.html", "/./h.example/", "/h.example/index.html%00", "//etc/passwd", "/missing", "/c:/x", "/h.example/%",
	} {
		resp := getRaw(t, h, at+path)
		if !strings.HasPrefix(resp, "HTTP/1.1 404") && !strings.HasPrefix(resp, "HTTP/1.1 400") {
			t.Errorf("%s: %s", path, resp)
		}
	}
	cross := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"}
	for _, target := range []string{"/copy/h.example/a.css", "/copy-x/h.example/a.css", "/copy-" + strings.Repeat("A", 26) + "/h.example/a.css"} {
		if resp := get(t, h, target, cross...); resp.StatusCode != 403 || resp.Header.Get("Location") != "" {
			t.Errorf("%s of another site: %s", target, resp.Status)
		}
	}
	if resp := get(t, h, at+"/h.example/a.css", cross...); resp.StatusCode != 200 || resp.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("a style sheet for a page of the copy: %s %v", resp.Status, resp.Header)
	}
	resp := get(t, h, "/copy/h.example/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
	if text := bodyOf(t, resp); resp.StatusCode != 403 || !strings.Contains(text, `<a href="/copy/h.example/">`) || strings.Contains(text, at) {
		t.Errorf("a link of another site: %s\n%s", resp.Status, text)
	}
	if resp := get(t, h, at+"/h.example/a.css", "Host: rebound.example"); resp.StatusCode != 403 {
		t.Errorf("by another name: %s", resp.Status)
	}
	if resp := get(t, h, "/copy-old/h.example/a.css"); resp.Header.Get("Location") != at+"/h.example/a.css" {
		t.Errorf("a token of before: %s %q", resp.Status, resp.Header.Get("Location"))
	}
	if other, next := copyHandler(t); other == h || next == at {
		t.Error("two gateways have one token")
	}
}

// TestCopyListsNoNames: an error of a file shows no name of this machine.
func TestCopyListsNoNames(t *testing.T) {
	h, _ := copyHandler(t)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/x", nil, 0o000); err != nil {
		t.Fatal(err)
	}
	h.Copy = os.DirFS(dir)
	at := strings.TrimSuffix(get(t, h, "/copy/").Header.Get("Location"), "/")
	for _, name := range []string{"/x/y", "/missing"} {
		if resp := get(t, h, at+name); resp.StatusCode == 200 || strings.Contains(bodyOf(t, resp), dir) {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}

// getRaw returns the answer to a request whose target is sent as it is.
func getRaw(t *testing.T, h http.Handler, target string) string {
	t.Helper()
	return talk(t, h, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target))
}
