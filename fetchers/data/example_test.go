package data_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/data"
	"github.com/seed1ea3422f/fetch/url"
)

// The URL contains its content.
func Example() {
	client := &fetchers.Client{Fetcher: new(data.Fetcher)}
	res, err := client.Get(context.Background(), "data:text/plain;charset=utf-8,caf%C3%A9")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Println(res.MediaType, res.Size, string(text), err)
	// Output: text/plain; charset=utf-8 5 café <nil>
}

// Invalid base64 is reported by Fetch as a malformed URL.
func ExampleFetcher() {
	client := &fetchers.Client{Fetcher: new(data.Fetcher)}
	_, err := client.Get(context.Background(), "data:;base64,***")
	var malformed *url.Error
	fmt.Println(errors.As(err, &malformed))
	// Output: true
}
