package gemini_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
)

// A page that asks for input is an Index. Its Query returns the URL of the input.
func Example() {
	server := geminitest.NewServer(fstest.MapFS{}, geminitest.Input("/find", "What?", func(words string) string { return "# Found " + words + "\n" }))
	defer server.Close()

	client := &fetchers.Client{Fetcher: new(gemini.Fetcher)}
	index, err := client.Get(context.Background(), server.URL+"/find")
	if err != nil {
		log.Fatal(err)
	}
	index.Close()
	fmt.Println(index.Kind, index.Reply.Text)

	page, err := client.Fetch(context.Background(), &fetchers.Request{URL: index.Query("two words")})
	if err != nil {
		log.Fatal(err)
	}
	defer page.Close()
	text, err := io.ReadAll(page.Body)
	fmt.Printf("%s %q %v, confirmed: %v\n", page.MediaType, text, err, page.Confirmed())
	// Output:
	// index What?
	// text/gemini "# Found two words\n" <nil>, confirmed: true
}

// The entries of a page are its links.
func ExampleLinks() {
	server := geminitest.NewServer(fstest.MapFS{"index.gmi": {Data: []byte("# Home\n=> poem.txt A poem\n=> gopher://h.example/1 Elsewhere\n")}})
	defer server.Close()

	client := &fetchers.Client{Fetcher: new(gemini.Fetcher)}
	page, err := client.Get(context.Background(), server.URL+"/")
	if err != nil {
		log.Fatal(err)
	}
	defer page.Close()
	fmt.Println(gemini.Links(page), page.Kind)
	for e, err := range page.Entries() {
		fmt.Println(e.Kind, e.Name, e.Title, e.URL.Path, err)
	}
	// Output:
	// true listing
	// document poem.txt A poem /poem.txt <nil>
	// unknown Elsewhere  /1 <nil>
}
