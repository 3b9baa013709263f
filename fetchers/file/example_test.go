package file_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/url"
)

// A directory is a Listing, whose entries have URLs of their own.
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
