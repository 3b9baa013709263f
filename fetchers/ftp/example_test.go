package ftp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A Fetcher keeps its connection for the next fetch from the same server and user.
func Example() {
	server := ftptest.NewServer(fstest.MapFS{
		"pub/hello.txt": {Data: []byte("hello, world\n")},
		"pub/poem.txt":  {Data: []byte("all that glitters is not gold\n")},
	})
	defer server.Close()

	f := new(ftp.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	for _, name := range []string{"hello.txt", "poem.txt", "nothing.txt"} {
		res, err := client.Get(context.Background(), server.URL+"/pub/"+name)
		if err != nil {
			fmt.Println("missing:", errors.Is(err, fs.ErrNotExist))
			continue
		}
		text, err := io.ReadAll(res.Body)
		res.Close()
		fmt.Printf("%d %q %v\n", res.Size, text, err)
	}
	// Output:
	// 13 "hello, world\n" <nil>
	// 30 "all that glitters is not gold\n" <nil>
	// missing: true
}

// The login comes from a Keychain, and TLS is required.
func ExampleFetcher() {
	server := ftptest.NewServer(fstest.MapFS{"report.txt": {Data: []byte("all well\n")}},
		ftptest.StartTLS(), ftptest.User("joe", "secret"), ftptest.NoAnonymous())
	defer server.Close()

	f := &ftp.Fetcher{AuthTLS: ftp.Required, TLS: &tls.Config{RootCAs: server.Roots()}}
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f, Keychain: keychain{}}
	res, err := client.Get(context.Background(), server.URL+"/report.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Printf("%q %v\n", text, err)
	// Output: "all well\n" <nil>
}

// A keychain has one login for every server.
type keychain struct{}

func (keychain) Lookup(context.Context, fetchers.Origin) (fetchers.Credential, error) {
	return fetchers.Credential{User: "joe", Password: "secret"}, nil
}
