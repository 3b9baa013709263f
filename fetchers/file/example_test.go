package file_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/url"
)

// A directory is a Listing. Its entries have their own URLs.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a blank.txt"), []byte("hello\n"), 0o644); err != nil {
		log.Fatal(err)
	}

	u := url.File{Path: filepath.ToSlash(dir)}.URL()
	res, err := new(file.Fetcher).Fetch(context.Background(), &fetchers.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for e, err := range res.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Kind, e.Size, e.Name, filepath.Base(e.URL.String()))
	}
	// Output: document 6 a blank.txt a%20blank.txt
}

// A file of another machine is not fetched with another protocol.
func ExampleFetcher() {
	for _, text := range []string{"file://elsewhere.example/etc/motd", "file:///dev/null"} {
		u, err := url.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		_, err = new(file.Fetcher).Fetch(context.Background(), &fetchers.Request{URL: u})
		fmt.Println(errors.Is(err, file.ErrElsewhere), errors.Is(err, file.ErrSpecial))
	}
	// Output:
	// true false
	// false true
}
