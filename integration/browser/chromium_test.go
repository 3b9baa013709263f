package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A chromium is a tab of a browser.
type chromium struct {
	ctx context.Context

	mu             sync.Mutex
	urls           map[network.RequestID]string
	loaded, failed []string // since the page was opened
}

// start starts a browser with further flags, which ends with the test. The test is skipped if there is none on
// the machine.
func start(t *testing.T, flags ...string) *chromium {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("FETCH_REAL") == "required" {
			t.Fatal(err)
		}
		t.Skip("no chromium: apt-get install chromium")
	}
	opts := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true))
	for _, f := range flags {
		opts = append(opts, chromedp.Flag(f, true))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	c := &chromium{ctx: ctx, urls: make(map[network.RequestID]string)}
	if err := chromedp.Listen(ctx, c.event); err != nil {
		t.Fatal(err)
	}
	return c
}

// event keeps the entries of the browser's log about loads.
func (c *chromium) event(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		c.urls[e.RequestID] = e.Request.URL
	case *network.EventLoadingFinished:
		c.loaded = append(c.loaded, c.urls[e.RequestID])
	case *network.EventLoadingFailed:
		c.failed = append(c.failed, fmt.Sprintf("load %s: %s %s", c.urls[e.RequestID], e.ErrorText, e.BlockedReason))
	case *log.EventEntryAdded:
		if e.Entry.Level != log.EntryLevelVerbose && e.Entry.Level != log.EntryLevelInfo {
			c.failed = append(c.failed, fmt.Sprintf("log %s: %s", e.Entry.URL, e.Entry.Text))
		}
	case *runtime.EventConsoleAPICalled:
		c.failed = append(c.failed, fmt.Sprintf("console %s", e.Type))
	case *audits.EventIssueAdded:
		c.failed = append(c.failed, "issue "+string(e.Issue.Code))
	case *runtime.EventExceptionThrown:
		c.failed = append(c.failed, "exception "+e.ExceptionDetails.Text)
	}
}

// A view is a page as the browser has shown it.
type view struct {
	Broken  []string // pictures and media that the browser cannot show
	Sheets  []string // names of the style sheets that apply
	Scripts []string // names of the scripts that have run
	Links   []string // where the page leads, complete

	loaded []string // URLs
	failed []string // loads that failed, and errors and warnings of the log
}

// look is a script that returns the view of a page once its media can be played or have failed.
const look = `(async () => {
	const view = {Broken: [], Sheets: [], Scripts: window.scripts || [], Links: []}
	for (const media of document.querySelectorAll("video, audio")) {
		while (media.readyState < media.HAVE_CURRENT_DATA && !media.error && media.networkState != media.NETWORK_NO_SOURCE)
			await new Promise(done => setTimeout(done, 20))
		if (media.readyState < media.HAVE_CURRENT_DATA) view.Broken.push(media.outerHTML)
	}
	for (const img of document.images) {
		await img.decode().catch(() => view.Broken.push(img.src || img.outerHTML))
	}
	for (const [name] of document.documentElement.computedStyleMap())
		if (name.startsWith("--sheet-")) view.Sheets.push(name.slice("--sheet-".length))
	for (const a of document.links)
		view.Links.push(new URL(a.href.baseVal || a.href, a.baseURI).href)
	return view
})()`

// show opens a page, and returns its view.
func (c *chromium) show(t *testing.T, address string) view {
	t.Helper()
	c.mu.Lock()
	c.loaded, c.failed = nil, nil
	c.mu.Unlock()
	if err := chromedp.Do(c.ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	v, err := chromedp.Run(c.ctx, chromedp.Evaluate[view](look, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v.loaded, v.failed = slices.Clone(c.loaded), slices.Clone(c.failed)
	return v
}
