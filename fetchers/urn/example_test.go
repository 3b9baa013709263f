package urn_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/url"
)

// The result is a redirection.
func Example() {
	table := make(urn.Table)
	if err := table.Add("ietf:rfc=https://www.rfc-editor.org/rfc/rfc{nss}.txt"); err != nil {
		log.Fatal(err)
	}
	u, err := url.Parse("urn:ietf:rfc:2648")
	if err != nil {
		log.Fatal(err)
	}
	res, err := (&urn.Fetcher{Table: table}).Fetch(context.Background(), &fetchers.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println(res.Kind, res.Location)
	// Output: redirect https://www.rfc-editor.org/rfc/rfc2648.txt
}

// A namespace that is not in the table is not retrievable.
func ExampleTable() {
	f := &urn.Fetcher{Table: urn.Table{"isbn": "https://books.example/uri-res/N2L?{urn}"}}
	for _, name := range []string{"urn:isbn:0451450523", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"} {
		u, err := url.Parse(name)
		if err != nil {
			log.Fatal(err)
		}
		res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u})
		if errors.Is(err, fetchers.ErrNotRetrievable) {
			fmt.Println("unknown")
			continue
		}
		fmt.Println(res.Location)
		res.Close()
	}
	// Output:
	// https://books.example/uri-res/N2L?urn:isbn:0451450523
	// unknown
}
