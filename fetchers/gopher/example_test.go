package gopher_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// A menu is a Listing. Sys of an entry is an Item.
func Example() {
	server := gophertest.NewServer(fstest.MapFS{}, gophertest.Menu("menu", "Welcome\n0About\t/about\n8Library\tguest\tlibrary.example.org\t23\n"))
	defer server.Close()

	client := &fetchers.Client{Fetcher: new(gopher.Fetcher)}
	res, err := client.Get(context.Background(), server.URL+"/1/menu")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for entry, err := range res.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		item := entry.Sys.(gopher.Item)
		fmt.Printf("%c %s: %s\n", item.Type, entry.Kind, entry.Name)
		if entry.Kind == fetchers.Session {
			fmt.Println(entry.URL)
		}
	}
	// Output:
	// i text: Welcome
	// 0 document: About
	// 8 session: Library
	// telnet://guest@library.example.org/
}

// An item with a form is an Index. The answers become part of a URL.
func ExampleForm_Fill() {
	server := gophertest.NewServer(fstest.MapFS{},
		gophertest.Form("form", []string{"Ask: Your name?", "Select: Subscribe?:1"},
			func(lines []string) string { return fmt.Sprintf("%q\n", lines) }))
	defer server.Close()

	client := &fetchers.Client{Fetcher: new(gopher.Fetcher)}
	res, err := client.Get(context.Background(), server.URL+"/0/form%09%09?")
	if err != nil {
		log.Fatal(err)
	}
	res.Close()
	filled, err := gopher.FormOf(res).Fill(res.URL, []string{"Al"}) // the other fields have their defaults
	if err != nil {
		log.Fatal(err)
	}
	if res, err = client.Fetch(context.Background(), &fetchers.Request{URL: filled}); err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	answer, err := io.ReadAll(res.Body)
	fmt.Printf("%s%v\n", answer, err)
	// Output:
	// ["Al" "1"]
	// <nil>
}
