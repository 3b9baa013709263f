package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	nethttp "net/http"
	"net/textproto"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/url"
)

// One Fetcher serves a whole program. It keeps connections for later requests.
func ExampleFetcher() {
	server := webtest.NewServer(fstest.MapFS{"hello.txt": {Data: []byte("hello, world\n")}})
	defer server.Close()

	f := &http.Fetcher{UserAgent: "example/1.0"}
	defer f.CloseIdle()
	u, err := url.Parse(server.URL + "/hello.txt")
	if err != nil {
		log.Fatal(err)
	}
	res, err := f.Fetch(context.Background(), &fetchers.Request{
		URL:    u,
		Header: textproto.MIMEHeader{"Accept-Language": {"en"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Printf("%d %s %q %v\n", res.Reply.Code, res.MediaType, text, err)
	// Output: 200 text/plain "hello, world\n" <nil>
}

// Describe returns the metadata of a document without its body.
func ExampleFetcher_describe() {
	server := webtest.NewServer(fstest.MapFS{"disk.img": {Data: make([]byte, 1<<20)}})
	defer server.Close()

	f := new(http.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	u, err := url.Parse(server.URL + "/disk.img")
	if err != nil {
		log.Fatal(err)
	}
	res, err := client.Fetch(context.Background(), &fetchers.Request{URL: u, Describe: true})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println(res.Kind, res.Size, res.Header.Get("Accept-Ranges"))
	// Output: document 1048576 bytes
}

// An http.Client fetches ftp URLs too.
func ExampleFetcherTransport() {
	server := ftptest.NewServer(fstest.MapFS{"pub/hello.txt": {Data: []byte("hello, world\n")}})
	defer server.Close()

	f := new(ftp.Fetcher)
	defer f.CloseIdle()
	transport := new(nethttp.Transport)
	transport.RegisterProtocol("ftp", &http.FetcherTransport{Fetcher: f})
	client := &nethttp.Client{Transport: transport}

	r, err := nethttp.NewRequest("GET", server.URL+"/pub/hello.txt", nil)
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("Range", "bytes=7-")
	resp, err := client.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Printf("%s, %s: %q %v\n", resp.Status, resp.Header.Get("Content-Range"), text, err)
	// Output: 206 Partial Content, bytes 7-12/13: "world\n" <nil>
}

// The Transport of a program sends the requests of a Fetcher.
func ExampleFetcher_roundTripper() {
	server := webtest.NewServer(fstest.MapFS{"hello.txt": {Data: []byte("hello, world\n")}})
	defer server.Close()

	f := &http.Fetcher{RoundTripper: &nethttp.Transport{MaxConnsPerHost: 2}}
	defer f.CloseIdle()
	u, err := url.Parse(server.URL + "/hello.txt")
	if err != nil {
		log.Fatal(err)
	}
	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: u, Range: fetchers.Range{Offset: 13}})
	fmt.Println(res == nil, errors.Is(err, fetchers.ErrRange))
	var end *fetchers.RangeError
	if errors.As(err, &end) {
		fmt.Println("all of it is here:", end.Size, "bytes")
	}
	// Output:
	// true true
	// all of it is here: 13 bytes
}
