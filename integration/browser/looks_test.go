package browser

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/url"
)

var write = flag.Bool("write", false, "write the pictures of docs/gateway")

// pictures is the directory of the pictures in the documentation.
const pictures = "../../docs/gateway"

// mostPicture is how many bytes a picture in the documentation has at most.
const mostPicture = 40 << 10

// A sample is a page of a kind.
type sample struct{ kind, address string }

// samples returns a page of each kind that there is.
func samples(t *testing.T, o *origins, gate string) []sample {
	kept := httptest.NewServer(&gateway.Handler{Fetcher: &fetchers.Client{
		Fetcher: fetch.Protocols(nil),
		Follow:  func(context.Context, []*url.URL, *fetchers.Resource) error { return fetchers.ErrKeepRedirect },
	}})
	t.Cleanup(kept.Close)
	at := gate + "/fetch/"
	return []sample{
		{"start", gate + "/"},
		{"gopher", at + o.gopher + "/1/all"},
		{"index", at + o.gopher + "/7/find"},
		{"listing", at + o.ftp + "/pub/"},
		{"document", gate + "/?as=page&url=" + neturl.QueryEscape(o.ftp+"/pub/README")},
		{"group", at + "news:comp.infosystems.test"},
		{"article", at + "news:3@example.org"},
		{"hits", at + o.wais + "/garden?honey"},
		{"session", at + o.telnet + "/"},
		{"name", at + "mailto:joe@example.org"},
		{"redirect", kept.URL + "/fetch/" + o.web + "/moved"},
		{"error", at + o.gopher + "/0/missing"},
	}
}

// TestLooks: in a small window and in a large one, in light colours and in dark ones, no page scrolls sideways,
// and Tab reaches each link and field with an outline that shows where it is. With -write it takes the pictures
// of the documentation.
func TestLooks(t *testing.T) {
	o := startOrigins(t)
	all := samples(t, o, serve(t, "--news-server", o.news))
	c := startAudited(t)
	for _, width := range []int{360, 800} {
		for _, colours := range []string{"light", "dark"} {
			for _, l := range all {
				t.Run(fmt.Sprintf("%s %d %s", l.kind, width, colours), func(t *testing.T) {
					c.size(t, width, colours)
					c.visit(t, l)
					c.fits(t, width)
					c.holds(t)
					if *write && (width == 800) == (colours == "light") {
						c.picture(t, filepath.Join(pictures, fmt.Sprintf("%s-%d.png", l.kind, width)))
					}
					c.keyboard(t)
				})
			}
		}
	}
}

// height is that of the window, and of a picture at most.
const height = 540

// size makes the window of a width, with colours of a scheme.
func (c *chromium) size(t *testing.T, width int, colours string) {
	t.Helper()
	err := chromedp.Do(c.ctx, chromedp.EmulateViewport(int64(width), height))
	if err == nil {
		_, err = chromedp.Run(c.ctx, call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}},
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// visit opens a page, and reports its faults.
func (c *chromium) visit(t *testing.T, l sample) {
	t.Helper()
	for _, f := range c.show(t, l.address).failed {
		if l.kind == "error" && strings.Contains(f, "responded with a status of 404") {
			continue // about the page itself
		}
		t.Error(f)
	}
}

// fits reports elements that are wider than the window.
func (c *chromium) fits(t *testing.T, width int) {
	t.Helper()
	got, err := chromedp.Run(c.ctx, chromedp.Evaluate[int](`document.scrollingElement.scrollWidth`))
	if err != nil || got <= width {
		return
	}
	t.Errorf("the page is %d pixels wide in a window of %d (%v)", got, width, err)
}

// holds reports tables that are wider than their box.
func (c *chromium) holds(t *testing.T) {
	t.Helper()
	wide, err := chromedp.Run(c.ctx, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll(".wide")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText.slice(0, 200))`))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range wide {
		t.Errorf("a table scrolls sideways: %q", text)
	}
}

// A focus is where the keyboard is.
type focus struct {
	Name    string // of the element, "" if it is the page
	Outline string
	Seen    bool // it is within the window
}

// focused is a script that returns the focus.
const focused = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e)
	if (e === document.body) return {Name: "", Outline: "", Seen: true}
	e.dataset.seen = "yes"
	return {
		Name: e.outerHTML.slice(0, 120), Outline: style.outlineStyle + " " + style.outlineWidth,
		Seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
	}
})()`

// keyboard presses Tab until all of the page was reached.
func (c *chromium) keyboard(t *testing.T) {
	t.Helper()
	count, err := chromedp.Run(c.ctx, chromedp.Evaluate[int](`document.activeElement.blur(), document.querySelectorAll("*").length`))
	if err != nil {
		t.Fatal(err)
	}
	for range count {
		if err := chromedp.Do(c.ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
			t.Fatal(err)
		}
		at, err := chromedp.Run(c.ctx, chromedp.Evaluate[focus](focused))
		if err != nil {
			t.Fatal(err)
		}
		if at.Name == "" {
			break
		}
		if strings.HasPrefix(at.Outline, "none") || strings.HasSuffix(at.Outline, " 0px") || !at.Seen {
			t.Errorf("the focus is not to be seen: %+v", at)
		}
	}
	missed, err := chromedp.Run(c.ctx, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll("a[href], input:not([type=hidden]), select, button")].filter(e => !e.dataset.seen).map(e => e.outerHTML)`))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missed {
		t.Errorf("Tab does not reach %s", m)
	}
}

// picture writes a picture of the page.
func (c *chromium) picture(t *testing.T, name string) {
	t.Helper()
	tall, err := chromedp.Run(c.ctx, chromedp.Evaluate[int](`Math.ceil(document.body.getBoundingClientRect().bottom)`))
	if err != nil {
		t.Fatal(err)
	}
	shot, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	small, err := encode(img, min(tall, height))
	if err != nil {
		t.Fatal(err)
	}
	if len(small) > mostPicture {
		t.Errorf("%s has %d bytes, more than %d", name, len(small), mostPicture)
	}
	if err := os.WriteFile(name, small, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", name, len(small))
}
