package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// A step of a walk is a click, or words for a field, and the page behind it.
type step struct {
	click string // the text of a link; "" if words go into a field
	field string // a selector of the field
	words string
	has   []string // texts of the page behind it
	lacks []string
}

// stepTime is how long the browser may take for a step.
const stepTime = 20 * time.Second

// walks begin at the menu that leads to all servers.
var walks = []struct {
	name  string
	steps []step
}{
	{"search of a burrow", []step{
		{click: "Search the burrow", has: []string{"Ask"}},
		{field: "#words", words: "bees & <honey>", has: []string{"bees & <honey>: one item"}},
		{click: "The item about bees & <honey>", has: []string{"Hello from Gopher <b>space</b>."}},
	}},
	{"files of a burrow", []step{
		{click: "Files of this burrow", has: []string{"hello.txt"}},
		{click: "hello.txt", has: []string{"Hello from Gopher <b>space</b>."}},
	}},
	{"ftp", []step{
		{click: "Files by FTP", has: []string{"README", "résumé.txt", "1.23 MB", "1994-12-20 10:30"}},
		{click: "rfc", has: []string{"rfc1738.txt"}},
		{click: "Up", has: []string{"README"}},
		{click: "rfc"},
		{click: "rfc1738.txt", has: []string{"Uniform Resource Locators"}},
	}},
	{"a name with markup", []step{
		{click: "Files by FTP"},
		{click: "<b>bold &.html", has: []string{"a file"}},
	}},
	{"a sorted directory", []step{
		{click: "Files by FTP"},
		{field: "input[name=filter]", words: "read", has: []string{"README"}, lacks: []string{"images.tar"}},
		{click: "README", has: []string{"Files for everyone."}},
	}},
	{"news", []step{
		{click: "News", has: []string{"Grammar of URLs", "Jürgen"}},
		{click: "Re: Grammar of URLs", has: []string{"It is attached. Grüße", "grammar.html", "text/html"}},
		{click: "grammar.html", has: []string{"Grammar"}},
	}},
	{"wais", []step{
		{click: "A garden in WAIS", has: []string{"Ask"}},
		{field: "#words", words: "honey", has: []string{"Honey of the garden", "score"}},
		{click: "Keeping bees", has: []string{"Honey is taken in August."}},
	}},
	{"prospero", []step{
		{click: "An archive of Prospero", has: []string{"papers", "index.txt"}},
		{click: "index.txt", has: []string{"The archive has papers."}},
	}},
	{"telnet", []step{
		{click: "A service for terminals", has: []string{"telnet 127.0.0.1 ", "It is for a terminal."}},
	}},
	{"web", []step{
		{click: "A page of the web", has: []string{"shown"}},
	}},
	{"a redirection", []step{
		{click: "A page that has moved", has: []string{"A redirection led here from http://", "README"}},
	}},
	{"a mailbox", []step{
		{click: "A mailbox", has: []string{"It is for a mail program."}},
	}},
}

// TestWalk: a browser walks from the first page through the servers of each protocol by links and fields,
// and no page has an error in the console or one that its policy has stopped.
func TestWalk(t *testing.T) {
	o := startOrigins(t)
	gate := serve(t, "--news-server", o.news)
	c := startAudited(t)
	for _, walk := range walks {
		t.Run(walk.name, func(t *testing.T) {
			c.show(t, gate+"/")
			c.step(t, step{field: "#url", words: o.gopher + "/1/all", has: []string{"Welcome to the burrow.   <script>alert(1)</script>"}})
			for _, s := range walk.steps {
				c.step(t, s)
			}
		})
	}
}

// startAudited starts a browser that reports issues, such as loads that a policy has stopped.
func startAudited(t *testing.T) *chromium {
	t.Helper()
	c := start(t, "disable-background-networking")
	if _, err := chromedp.Run(c.ctx, call(audits.Enable, cdp.Empty{})); err != nil {
		t.Fatal(err)
	}
	return c
}

// call returns the action that is a command of the browser.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[R] {
	return func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	}
}

// step takes a step, and checks the page behind it.
func (c *chromium) step(t *testing.T, s step) {
	t.Helper()
	c.mu.Lock()
	c.loaded, c.failed = nil, nil
	c.mu.Unlock()
	var act chromedp.Action[chromedp.Void]
	if s.click != "" {
		act = chromedp.Click(chromedp.Search(`//a[normalize-space()="` + s.click + `"]`))
	} else {
		act = chromedp.SendKeys(chromedp.CSS(s.field), s.words+"\r")
	}
	ctx, cancel := context.WithTimeout(c.ctx, stepTime)
	defer cancel()
	resp, err := chromedp.RunResponse(ctx, act)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	text, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range s.has {
		if !strings.Contains(text, words) {
			t.Errorf("%s: no %q in\n%s", resp.URL, words, text)
		}
	}
	for _, words := range s.lacks {
		if strings.Contains(text, words) {
			t.Errorf("%s: %q in\n%s", resp.URL, words, text)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.failed {
		t.Errorf("%s: %s", resp.URL, f)
	}
	t.Logf("%d %s", resp.Status, resp.URL)
}
