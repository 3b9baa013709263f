package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// serve starts a server for the examples.
func serve() *ftptest.Server {
	return ftptest.NewServer(fstest.MapFS{
		"pub/hello.txt": {Data: []byte("hello, world\n")},
		"pub/poem.txt":  {Data: []byte("all that glitters is not gold\n")},
	})
}

func ExampleGet() {
	server := serve()
	defer server.Close()

	res, err := fetch.Get(context.Background(), server.URL+"/pub/hello.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Printf("%s of %d bytes: %s", res.Kind, res.Size, text)
	fmt.Println(err)
	// Output:
	// document of 13 bytes: hello, world
	// <nil>
}

// The entries of a Listing have the same form for every protocol.
func ExampleGet_listing() {
	server := serve()
	defer server.Close()

	res, err := fetch.Get(context.Background(), server.URL+"/pub/")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for entry, err := range res.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(entry.Kind, entry.Size, entry.Name, entry.URL.Path)
	}
	// Output:
	// document 13 hello.txt /pub/hello.txt
	// document 30 poem.txt /pub/poem.txt
}

// From requests the rest of a resource. Range tells whether the server sent it.
func ExampleFrom() {
	server := serve()
	defer server.Close()

	res, err := fetch.Get(context.Background(), server.URL+"/pub/hello.txt", fetch.From(7))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	rest, _ := io.ReadAll(res.Body)
	fmt.Printf("from %d: %s", res.Range.Offset, rest)
	// Output: from 7: world
}

// A service that fetches URLs from strangers should allow only public addresses, also after
// redirections and for the data connections of FTP.
func ExampleProtocols() {
	network := &fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)}
	client := &fetchers.Client{Fetcher: fetch.Protocols(network)}

	_, err := client.Get(context.Background(), "http://127.0.0.1:8080/admin")
	fmt.Println(errors.Is(err, fetchers.ErrBlocked))
	// Output: true
}

// Failures have the same classes in all protocols.
func ExampleDefaultClient() {
	server := serve()
	defer server.Close()

	for _, s := range []string{"file:///no/such/file", server.URL + "/pub/nothing", "nfs://h.example/x", "ftp://h.example/%zz"} {
		_, err := fetch.DefaultClient.Get(context.Background(), s)
		var malformed *url.Error
		switch {
		case errors.As(err, &malformed):
			fmt.Println("malformed")
		case errors.Is(err, fs.ErrNotExist):
			fmt.Println("missing")
		case errors.Is(err, fetchers.ErrNotRetrievable):
			fmt.Println("nothing to retrieve")
		}
	}
	// Output:
	// missing
	// missing
	// nothing to retrieve
	// malformed
}

// A program registers a Fetcher for another scheme.
func ExampleProtocols_registering() {
	registry := fetch.Protocols(nil)
	registry.Register(fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1}
		res.SetBody(io.NopCloser(strings.NewReader("you asked for " + req.URL.Path)))
		return res, nil
	}), "x-echo")
	client := &fetchers.Client{Fetcher: registry}

	res, err := client.Get(context.Background(), "x-echo:something")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, _ := io.ReadAll(res.Body)
	fmt.Printf("%s\n", text)
	// Output: you asked for something
}
