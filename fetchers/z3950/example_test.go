package z3950_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/fetchers/z3950/marc"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/url"
)

// A search, and the first record that it finds.
func Example() {
	server := z3950test.NewServer(fstest.MapFS{"garden/1.mrc": {Data: marcOf("Virgil.", "The Georgics. Bees")}})
	defer server.Close()
	f := new(z3950.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}

	session, err := client.Get(context.Background(), server.URL+"/garden")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	found, err := client.Fetch(context.Background(), &fetchers.Request{URL: session.Query(`title="bees"`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer found.Close()
	var first *url.URL
	for entry, err := range found.Entries() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(entry.Author, entry.Name)
		first = entry.URL
		break
	}
	found.Close()

	record, err := client.Fetch(context.Background(), &fetchers.Request{URL: first})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer record.Close()
	m, err := marc.Read(record.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(m)
	// Output:
	// Virgil. The Georgics. Bees
	// 00100nam a2200061 a 4500
	// 001    42
	// 100 1  $a Virgil.
	// 245 10 $a The Georgics. Bees
}
