package wais_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/waistest"
)

// A search is a Listing of hits that can be fetched.
func Example() {
	server := waistest.NewServer(fstest.MapFS{
		"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney is taken in August.\n")},
		"garden/moss.txt": {Data: []byte("Moss\n\nIt grows.\n")},
	})
	defer server.Close()

	f := new(wais.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	hits, err := client.Get(context.Background(), server.URL+"/garden?honey")
	if err != nil {
		log.Fatal(err)
	}
	defer hits.Close()
	for hit, err := range hits.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		res, err := client.Fetch(context.Background(), &fetchers.Request{URL: hit.URL})
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Close()
		fmt.Printf("%s: %d bytes, %v\n", hit.Name, len(text), err)
	}
	// Output: Keeping bees: 40 bytes, <nil>
}

// A .src file describes a database.
func ExampleParseSource() {
	source, err := wais.ParseSource(strings.NewReader(`
(:source
   :version  3
   :ip-name "wais.example.com"
   :tcp-port 210
   :database-name "garden"
   :maintainer "curator@wais.example.com"
   :description "On gardens."
)`))
	if err != nil {
		log.Fatal(err)
	}
	u, err := source.URL()
	fmt.Println(source.Maintainer, u, err)
	// Output: curator@wais.example.com wais://wais.example.com/garden <nil>
}
