package nntp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/url"
)

// The articles of a group, from a configured server.
func ExampleFetcher() {
	server := nntptest.NewServer(fstest.MapFS{
		"comp.example/1": {Data: []byte("Subject: Hello\nFrom: joe@example.com\nMessage-ID: <1@example.com>\n\nHello, news.\n")},
		"comp.example/4": {Data: []byte("Subject: Re: Hello\nFrom: ann@example.com\nMessage-ID: <4@example.com>\nReferences: <1@example.com>\n\nHi.\n")},
	})
	defer server.Close()

	f := &nntp.Fetcher{Server: server.Addr}
	defer f.CloseIdle()
	u, err := url.Parse("news:comp.example")
	if err != nil {
		log.Fatal(err)
	}
	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for e, err := range res.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		o := e.Sys.(nntp.Overview)
		fmt.Println(o.Number, e.URL, o.From, e.Name)
	}
	// Output:
	// 1 news:1@example.com joe@example.com Hello
	// 4 news:4@example.com ann@example.com Re: Hello
}

// An article is fetched by its message-id from any server, and is unchanged.
func ExampleFetcher_article() {
	server := nntptest.NewServer(fstest.MapFS{
		"comp.example/1": {Data: []byte("Subject: Hello\nMessage-ID: <1@example.com>\n\nHello, news.\n")},
	})
	defer server.Close()

	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	u, err := url.Parse("news://" + server.Addr + "/1@example.com")
	if err != nil {
		log.Fatal(err)
	}
	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	article, err := io.ReadAll(res.Body)
	fmt.Println(res.MediaType, res.Header.Get("Subject"), len(article), err)
	// Output: message/rfc822 Hello 61 <nil>
}
