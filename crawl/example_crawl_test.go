package crawl_test

import (
	"context"
	"fmt"
	"io"
	"log"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// site starts a server of a small site.
func site() *httptest.Server {
	mux := nethttp.NewServeMux()
	for path, text := range map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private/\n",
		"/{$}":        `<a href="a.html">A</a> <a href="private/diary.html">diary</a> <a href="missing.html">missing</a>`,
		"/a.html":     `<a href="b.html">B</a> <a href="/">home</a>`,
		"/b.html":     `<a href="c.html">C</a>`,
		"/c.html":     `the end`,
	} {
		mux.HandleFunc(path, func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, text) })
	}
	return httptest.NewServer(mux)
}

// visitor returns a Visit function that follows the links of each page.
func visitor(fetcher fetchers.Fetcher) func(context.Context, *crawl.Visit) error {
	return func(ctx context.Context, v *crawl.Visit) error {
		res, err := fetcher.Fetch(ctx, v.Request())
		if err != nil {
			return err
		}
		defer res.Close()
		v.Resource = res
		for link, err := range links.Of(res) {
			if err != nil {
				return err
			}
			if _, err := v.Follow(link, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// newCrawl returns a Crawl of the pages below the root of a server. end closes its Frontier and its
// connections.
func newCrawl(server string) (c *crawl.Crawl, end func()) {
	root, err := url.Parse(server + "/")
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		log.Fatal(err)
	}
	frontier, err := crawl.Open(filepath.Join(dir, "frontier"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := frontier.Add(crawl.Item{URL: root, From: crawl.None}); err != nil {
		log.Fatal(err)
	}
	web := new(http.Fetcher)
	fetcher := &fetchers.Limiter{MaxSize: 1 << 20, Fetcher: &fetchers.Client{Fetcher: web}}
	return &crawl.Crawl{
		Frontier: frontier,
		Scope:    &crawl.Scope{Roots: []*url.URL{root}, Depth: 2},
		Robots:   &robots.Cache{Fetcher: fetcher, Agent: "examplebot"},
		Visit:    visitor(fetcher),
	}, func() { frontier.Close(); os.RemoveAll(dir); web.CloseIdle() }
}

// A crawl of a site to the depth of two links. The robots.txt of the server forbids one page.
func ExampleCrawl() {
	server := site()
	defer server.Close()
	c, end := newCrawl(server.URL)
	defer end()
	for result, err := range c.Run(context.Background()) {
		switch {
		case err != nil:
			log.Fatal(err)
		case result.Err != nil:
			fmt.Println(result.State, result.URL.Path, fetchers.ClassOf(result.Err))
		case result.State == crawl.Skipped:
			fmt.Println(result.State, result.URL.Path, result.Why)
		default:
			fmt.Println(result.State, result.URL.Path)
		}
	}
	// Output:
	// done /
	// done /a.html
	// skipped /private/diary.html Disallow: /private/ (line 2 of robots.txt)
	// failed /missing.html file does not exist
	// done /b.html
}

// A crawl that ends after two pages. The Frontier keeps the other URLs for the next run.
func ExampleCrawl_limit() {
	server := site()
	defer server.Close()
	c, end := newCrawl(server.URL)
	defer end()
	pages := 0
	for result, err := range c.Run(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.State, result.URL.Path)
		if pages++; pages == 2 {
			break
		}
	}
	fmt.Println("more URLs wait:", c.Frontier.Counts().Waiting > 0)
	// Output:
	// done /
	// done /a.html
	// more URLs wait: true
}
