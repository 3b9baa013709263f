package hosts_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// protocol replaces a Registry: the content of each resource is its path.
var protocol = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if req.URL.Base() == "busy" {
		return nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: 503}, Class: fetchers.ErrTemporary}
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
	res.SetBody(io.NopCloser(strings.NewReader(req.URL.Path)))
	return res, nil
})

// A Fetcher tells a queue how many requests may run concurrently at each host.
func ExampleFetcher() {
	ctx := context.Background()
	watch := &hosts.Fetcher{Fetcher: protocol} // below any Fetcher that waits or retries
	client := &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: watch}}
	q := queue.Queue{Most: 100, Room: watch.Room}
	for _, text := range []string{"http://a.example/1", "http://a.example/2", "ftp://b.example/3"} {
		u, err := url.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		key := watch.Key(u)
		err = q.Do(ctx, key, func(ctx context.Context) {
			ctx = watch.Context(fetchers.WithPause(ctx, queue.Pause), key)
			res, err := client.Fetch(ctx, &fetchers.Request{URL: u})
			if err != nil {
				fmt.Println(err)
				return
			}
			defer res.Close()
			body, err := io.ReadAll(res.Body)
			fmt.Println(u, string(body), err)
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	if err := q.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// http://a.example/1 /1 <nil>
	// http://a.example/2 /2 <nil>
	// ftp://b.example/3 /3 <nil>
}

// A host that refuses a request has half the room afterwards.
func ExampleFetcher_Room() {
	watch := &hosts.Fetcher{Fetcher: protocol}
	u, err := url.Parse("http://a.example/busy")
	if err != nil {
		fmt.Println(err)
		return
	}
	key := watch.Key(u)
	fmt.Println(key, watch.Room(key))
	_, err = watch.Fetch(context.Background(), &fetchers.Request{URL: u})
	fmt.Println(err != nil, watch.Room(key))
	// Output:
	// http://a.example:80 8
	// true 4
}

// PerHost is a fixed limit for a host, whatever the scheme and the port.
func ExampleFetcher_perHost() {
	watch := &hosts.Fetcher{Fetcher: protocol, PerHost: 2}
	for _, text := range []string{"http://a.example/", "ftp://a.example/"} {
		u, err := url.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		key := watch.Key(u)
		fmt.Println(key, watch.Room(key))
	}
	// Output:
	// a.example 2
	// a.example 2
}
