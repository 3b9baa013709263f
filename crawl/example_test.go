package crawl_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/url"
)

// begin returns a Frontier with two pages, in a directory that end removes.
func begin() (f *crawl.Frontier, end func(), err error) {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		return nil, nil, err
	}
	if f, err = crawl.Open(filepath.Join(dir, "frontier")); err != nil {
		return nil, nil, err
	}
	for _, text := range []string{"http://h.example/", "http://h.example/a", "http://H.example:80/a#top"} {
		u, err := url.Parse(text)
		if err == nil {
			_, err = f.Add(crawl.Item{URL: u, From: crawl.None})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return f, func() { f.Close(); os.RemoveAll(dir) }, nil
}

// A visit adds the links of a page before the page is Done.
func ExampleFrontier() {
	f, end, err := begin()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer end()
	for {
		page, ok, err := f.Next(nil)
		if !ok || err != nil {
			break
		}
		fmt.Println("visit", page.URL, "at depth", page.Depth)
		if page.Depth == 0 {
			link, err := page.URL.Resolve("b")
			if err == nil {
				_, err = f.Add(crawl.Item{URL: link, From: page.ID, Depth: page.Depth + 1})
			}
			if err != nil {
				fmt.Println(err)
				return
			}
		}
		if err := f.Finish(page.ID, crawl.Done, nil); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%+v\n", f.Counts())
	// Output:
	// visit http://h.example/ at depth 0
	// visit http://h.example/a at depth 0
	// visit http://h.example/b at depth 1
	// {Known:3 Waiting:0 Doing:0 Done:3 Failed:0 Skipped:0 Settled:0 Hosts:0}
}

// A second run visits the URLs again, and has the notes of the first.
func ExampleFrontier_Renew() {
	f, end, err := begin()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer end()
	page, _, err := f.Next(nil)
	if err == nil {
		err = f.Finish(page.ID, crawl.Done, []byte(`etag "1"`))
	}
	if err == nil {
		err = f.Renew()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		page, _, err := f.Next(nil)
		fmt.Printf("%s %q %v\n", page.URL, page.Note, err)
	}
	// Output:
	// http://h.example/a "" <nil>
	// http://h.example/ "etag \"1\"" <nil>
}

// The Scope of a copy of a manual, with the pictures that its pages need.
func ExampleScope() {
	root, err := url.Parse("http://h.example/manual/index.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := &crawl.Scope{Roots: []*url.URL{root}, NoParent: true, Requisites: true, Depth: 3}
	for _, ref := range []string{"a.html", "../other.html", "//cdn.example/logo.png"} {
		u, err := root.Resolve(ref)
		if err != nil {
			fmt.Println(err)
			return
		}
		d := scope.Decide(u, 1, ref == "//cdn.example/logo.png", true)
		fmt.Println(u, d.Visit, d.Why)
	}
	// Output:
	// http://h.example/manual/a.html true it is in the scope
	// http://h.example/other.html false it is not below a root
	// http://cdn.example/logo.png true a page needs it
}
