package prospero_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

// A Prospero directory is a Listing.
func Example() {
	server := prosperotest.NewServer(prosperotest.Names{
		"/pros":      {Links: []prosperotest.Link{{Name: "motd", HSOName: "/pros/motd"}}},
		"/pros/motd": {Contents: []byte("hello\n")},
	})
	defer server.Close()

	client := &fetchers.Client{Fetcher: new(prospero.Fetcher)}
	res, err := client.Get(context.Background(), server.URL+"//pros")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for entry, err := range res.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(entry.Kind, entry.Name, entry.URL.Path)
	}
	// Output: document motd //pros/motd
}

// On a lossy network a request is repeated, sooner with a short FirstWait.
func ExampleFetcher() {
	server := prosperotest.NewServer(prosperotest.Names{
		"/pros/motd": {Contents: []byte("hello\n")},
	}, prosperotest.Drop(1))
	defer server.Close()

	client := &fetchers.Client{Fetcher: &prospero.Fetcher{FirstWait: 50 * time.Millisecond}}
	res, err := client.Get(context.Background(), server.URL+"//pros/motd")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Printf("%q %v\n", text, err)

	_, err = client.Get(context.Background(), server.URL+"//pros/nothing")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// "hello\n" <nil>
	// true
}
