package conformance_test

import (
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/url"
)

// A protocol that can tell a whole document from one that was cut short, and has
// directories.
func ExampleRun() {
	_ = func(t *testing.T) { // TestConformance
		content := []byte("hello, world\n")
		server := ftptest.NewServer(fstest.MapFS{"pub/hello.txt": {Data: content}})
		t.Cleanup(server.Close)

		f := new(ftp.Fetcher)
		t.Cleanup(f.CloseIdle)
		conformance.Run(t, conformance.Target{
			Fetcher:   f,
			Document:  parse(t, server.URL+"/pub/hello.txt"),
			Content:   content,
			Missing:   parse(t, server.URL+"/pub/nothing"),
			Directory: parse(t, server.URL+"/pub/"),
		})
	}
}

// A protocol in which the end of the connection is the end of the document.
func ExampleTarget() {
	_ = func(t *testing.T) { // TestConformance
		content := []byte("hello, world\n")
		server := gophertest.NewServer(fstest.MapFS{"hello.bin": {Data: content}})
		t.Cleanup(server.Close)

		conformance.Run(t, conformance.Target{
			Fetcher:     new(gopher.Fetcher),
			Document:    parse(t, server.URL+"/9/hello.bin"),
			Content:     content,
			Unconfirmed: true,
		})
	}
}

func parse(t *testing.T, text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
