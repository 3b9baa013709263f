package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

// hostile is a document that tries to run, to send and to lead away. %[1]s is the server that it tells of it.
const hostile = `<!DOCTYPE html><html><head><title>kept</title>
<meta http-equiv="refresh" content="0;url=%[1]s/refreshed">
<base href="%[1]s/based/">
<link rel="stylesheet" href="%[1]s/sheet.css"><link rel="prefetch" href="%[1]s/prefetched"><link rel="icon" href="%[1]s/icon">
<style>@import "%[1]s/imported.css"; body { background: url(%[1]s/background) } @font-face { font-family: f; src: url(%[1]s/font) } p { font-family: f }</style>
<script>document.title = "run"; fetch("/fetch/%[1]s/fetched"); location = "%[1]s/located"</script>
<script src="%[1]s/script.js"></script></head>
<body onload="document.title = 'run'"><p>text
<img src="%[1]s/picture" onerror="document.title = 'run'"><img src="/fetch/%[1]s/gate"><svg onload="document.title = 'run'"><image href="%[1]s/drawn"/></svg>
<iframe src="%[1]s/framed"></iframe><iframe srcdoc="<script>parent.document.title = 'run'</script>"></iframe>
<object data="%[1]s/object"></object><embed src="%[1]s/embedded"><video src="%[1]s/video" poster="%[1]s/poster" autoplay></video>
<form action="%[1]s/formed"><button id="submit">send</button></form>
<a id="script" href="javascript:document.title = 'run'" ping="%[1]s/pinged">script</a></body></html>`

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title = 'run'"><title>kept</title><script>document.title = "run"; fetch("%[1]s/fetched")</script><image href="%[1]s/drawn"/><text y="20">text</text></svg>`

// TestStrangersDocument: a document that the gateway shows runs no script, sends no request, and leads nowhere by
// itself, whichever protocol it comes by.
func TestStrangersDocument(t *testing.T) {
	told := webtest.New(t, nil, webtest.Handler(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/evil.html":
			fmt.Fprintf(w, hostile, "http://"+r.Host)
		case "/evil.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprintf(w, drawing, "http://"+r.Host)
		}
	}))
	burrow := gophertest.New(t, fstest.MapFS{"evil.html": {Data: fmt.Appendf(nil, hostile, told.URL)}})
	gate := serve(t)
	c := start(t)
	for _, u := range []string{told.URL + "/evil.html", told.URL + "/evil.svg", burrow.URL + "/h/evil.html"} {
		before := len(told.Transcript())
		if err := chromedp.Do(c.ctx, chromedp.Navigate(gate+"/fetch/"+u)); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"script", "submit"} {
			if _, err := chromedp.Run(c.ctx, chromedp.Evaluate[bool](`(() => { const e = document.getElementById("`+id+`"); if (e) e.click(); return true })()`)); err != nil {
				t.Fatal(err)
			}
		}
		state, err := chromedp.Run(c.ctx, chromedp.Evaluate[[]string](`[document.title, location.href, document.documentElement.textContent]`))
		if err != nil {
			t.Fatal(err)
		}
		if state[0] != "kept" || !strings.HasPrefix(state[1], gate+"/fetch/") || !strings.Contains(state[2], "text") {
			t.Errorf("%s: it is now %q", u, state)
		}
		if now := told.Transcript()[before:]; len(now) > 1 || len(now) == 1 && !strings.HasPrefix(now[0], "GET /evil.") {
			t.Errorf("%s: it has sent\n%s", u, strings.Join(now, "\n"))
		}
	}
}
