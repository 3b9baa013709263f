package robots_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed1ea3422f/fetch/crawl/robots"
	web "github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

func ExampleParse() {
	rules, err := robots.Parse(strings.NewReader("User-agent: *\nDisallow: /private\nAllow: /private/*.html$\nCrawl-delay: 2\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	mine := rules.For("examplebot")
	for _, path := range []string{"/private/a.html", "/private/a.html?b", "/public"} {
		allowed, by := mine.Decide(path)
		fmt.Println(path, allowed, by)
	}
	fmt.Println(mine.Delay)
	// Output:
	// /private/a.html true Allow: /private/*.html$
	// /private/a.html?b false Disallow: /private
	// /public true <nil>
	// 2s
}

func ExampleCache() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
	}))
	defer server.Close()
	client := new(web.Fetcher)
	defer client.CloseIdle()

	cache := &robots.Cache{Fetcher: client, Agent: "examplebot"}
	for _, path := range []string{"/private/a", "/public"} {
		u, err := url.Parse(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		verdict, err := cache.Check(context.Background(), u)
		fmt.Println(path, verdict.Allowed, verdict, err)
	}
	// Output:
	// /private/a false Disallow: /private (line 2 of robots.txt) <nil>
	// /public true no rule of robots.txt <nil>
}
