package links_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/url"
)

const page = `<link rel=stylesheet href="style.css">
<a href='next.html?a&amp;b'>next</a> <img src=a.png srcset="b.png 2x">
`

func ExampleFormat_Read() {
	base, _ := url.Parse("http://example.com/docs/")
	for link, err := range links.HTML.Read(base, strings.NewReader(page)) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(link.Kind, link.Element, link.Attr, page[link.Offset:][:link.Length], link.URL)
	}
	// Output:
	// requisite link href style.css http://example.com/docs/style.css
	// page a href next.html?a&amp;b http://example.com/docs/next.html?a&b
	// requisite img src a.png http://example.com/docs/a.png
	// requisite img srcset b.png http://example.com/docs/b.png
}

// A copy keeps the requisites of a page in their own directory, and makes all other links absolute.
func ExampleFormat_Rewrite() {
	base, _ := url.Parse("http://example.com/docs/")
	err := links.HTML.Rewrite(os.Stdout, strings.NewReader(page), base, func(link links.Link) (string, bool) {
		if link.Kind == links.Requisite {
			return "files/" + link.URL.Base(), true
		}
		return link.URL.String(), true
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// <link rel=stylesheet href="files/style.css">
	// <a href='http://example.com/docs/next.html?a&amp;b'>next</a> <img src=files/a.png srcset="files/b.png 2x">
}

func ExampleReadSitemap() {
	const sitemap = `<urlset><url><loc>https://example.com/a</loc><lastmod>2026-01-02</lastmod></url></urlset>`
	for link, err := range links.ReadSitemap(nil, strings.NewReader(sitemap)) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(link.Kind, link.URL, link.ModTime.Format("2 January 2006"))
	}
	// Output:
	// page https://example.com/a 2 January 2026
}
