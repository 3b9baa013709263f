package gateway_test

import (
	"io"
	"iter"
	"net/http"
	"net/textproto"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestAttachmentIsStored: a document that its server has stored and not shown is no page in the
// origin of its URL.
func TestAttachmentIsStored(t *testing.T) {
	for field, want := range map[string]string{
		"":                                      "inline; filename=a.html",
		"inline; filename=b.html":               "inline; filename=a.html",
		"attachment":                            "attachment; filename=a.html",
		"ATTACHMENT; filename=b.html":           "attachment; filename=a.html",
		"attachment; filename=what is this.htm": "attachment; filename=a.html",
		"x-unknown":                             "attachment; filename=a.html",
	} {
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			res := resource(req.URL, fetchers.Document, "text/html", "<script>alert(1)</script>")
			res.Name, res.Header = "a.html", textproto.MIMEHeader{"Content-Disposition": {field}}
			return res, nil
		})
		h.Proxy = true
		resp := get(t, h, "http://h.example/a")
		if got := resp.Header.Get("Content-Disposition"); got != want {
			t.Errorf("%q: %q, want %q", field, got, want)
		}
	}
}

// TestRedirectionOfProxy: a client of the proxy is not led to a scheme that the gateway does not fetch.
func TestRedirectionOfProxy(t *testing.T) {
	for to, status := range map[string]int{
		"http://other.example/": 307, "ftp://other.example/": 307,
		"javascript:alert(1)": 200, "data:text/html,x": 200, "file:///etc/passwd": 200,
	} {
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			res := resource(req.URL, fetchers.Redirect, "", "")
			res.Location = parse(t, to)
			return res, nil
		})
		h.Proxy = true
		resp := get(t, h, "gopher://h.example/h/URL:x")
		if resp.StatusCode != status || (resp.Header.Get("Location") != "") != (status == 307) {
			t.Errorf("%s: %s %v", to, resp.Status, resp.Header)
		}
	}
}

// TestPartType: the media type of a part of a message is one type, and names no other.
func TestPartType(t *testing.T) {
	for field, want := range map[string]string{
		"text/plain":                             "text/plain",
		"text/plain; charset=koi8-r":             "text/plain; charset=koi8-r",
		`text/plain; charset="a,text/html"`:      `text/plain; charset="a,text/html"`,
		`text/plain; charset="a\",text/html,\""`: `text/plain; charset="a\",text/html,\""`,
		"text/plain,text/html":                   "text/plain",
		"multipart/x-mixed-replace; boundary=x":  "",
	} {
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			return resource(req.URL, fetchers.Document, "message/rfc822", "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: "+field+"\r\n\r\nbody\r\n"), nil
		})
		resp := get(t, h, "/?url=news%3A1%40x.example&part=1")
		if got := resp.Header.Get("Content-Type"); got != want && want != "" || strings.Contains(got, "x-mixed") {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
}

// TestVagueTime: a time within which a document may change once more is no validator of a client.
func TestVagueTime(t *testing.T) {
	for _, vague := range []bool{false, true} {
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			res := resource(req.URL, fetchers.Document, "text/plain", "x")
			res.Validator = fetchers.Validator{ModTime: time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC), Vague: vague}
			return res, nil
		})
		resp := get(t, h, "/fetch/http://h.example/x")
		if has := resp.Header.Get("Last-Modified") != ""; has == vague {
			t.Errorf("vague %t: Last-Modified %q", vague, resp.Header.Get("Last-Modified"))
		}
	}
}

// TestSortedIsSmall: of a listing with long names, no more is held than of one with short names.
func TestSortedIsSmall(t *testing.T) {
	const (
		entries = 1000
		long    = 64 << 10
		most    = 32 << 20
	)
	before := heap()
	held := uint64(0)
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Listing, "", "")
		res.Parse = func(io.Reader) iter.Seq2[fetchers.Entry, error] {
			return func(yield func(fetchers.Entry, error) bool) {
				for i := range entries {
					if i%100 == 0 {
						now := heap()
						held = max(held, now-min(before, now))
					}
					e := fetchers.Entry{URL: req.URL, Name: "x", Title: strings.Repeat("n", long), Size: -1}
					if !yield(e, nil) {
						return
					}
				}
			}
		}
		return res, nil
	})
	w := &counted{header: make(http.Header)}
	r, err := http.NewRequest("GET", "/?url=ftp%3A%2F%2Fh.example%2F&sort=name&as=page", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "localhost"
	h.ServeHTTP(w, r)
	if held > most || w.n < entries*long {
		t.Errorf("%d bytes are held, and %d are sent", held, w.n)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A counted counts an answer.
type counted struct {
	header http.Header
	n      int
}

func (c *counted) Header() http.Header         { return c.header }
func (c *counted) WriteHeader(int)             {}
func (c *counted) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }
