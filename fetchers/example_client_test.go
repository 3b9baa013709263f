package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// paths is a protocol for the examples: every URL is a document with its path, and the URL busy
// succeeds at the second request.
func paths() fetchers.Fetcher {
	asked := 0
	return fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if asked++; req.URL.Path == "busy" && asked == 1 {
			return nil, fetchers.NewError("get", req.URL, fetchers.Temporary(errors.New("too many users")))
		}
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: int64(len(req.URL.Path))}
		res.SetBody(io.NopCloser(strings.NewReader(req.URL.Path)))
		return res, nil
	})
}

// A Client repeats requests after temporary failures.
func ExampleClient() {
	client := &fetchers.Client{Fetcher: paths(), Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
	res, err := client.Get(context.Background(), "x-path:busy")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Println(string(text), err)
	// Output: busy <nil>
}

// A Registry chooses a Fetcher by the scheme, and rejects unknown schemes.
func ExampleRegistry() {
	registry := new(fetchers.Registry)
	registry.Register(paths(), "x-path", "x-way")
	fmt.Println(registry.Schemes())

	client := &fetchers.Client{Fetcher: registry}
	_, err := client.Get(context.Background(), "http://example.com/")
	fmt.Println(errors.Is(err, fetchers.ErrUnknownScheme))
	// Output:
	// [x-path x-way]
	// true
}

// A Limiter limits the announced and the actual size of a Body.
func ExampleLimiter() {
	client := &fetchers.Client{Fetcher: &fetchers.Limiter{Fetcher: paths(), MaxSize: 4}}
	for _, u := range []string{"x-path:tiny", "x-path:enormous"} {
		res, err := client.Get(context.Background(), u)
		if err != nil {
			fmt.Println(errors.Is(err, fetchers.ErrTooLarge))
			continue
		}
		fmt.Println(res.Size)
		res.Close()
	}
	// Output:
	// 4
	// true
}

// A forbidden address is never connected to, whatever its name.
func ExampleGuarded() {
	dial := fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	_, err := dial(context.Background(), "tcp", "127.0.0.1:80")
	fmt.Println(errors.Is(err, fetchers.ErrBlocked))
	// Output: true
}

// A netrc file, as for ftp(1) and curl, has logins for every protocol.
func ExampleReadNetrc() {
	logins, err := fetchers.ReadNetrc(strings.NewReader("machine ftp.example.com login joe password secret\n"))
	if err != nil {
		log.Fatal(err)
	}
	found, err := logins.Lookup(context.Background(), fetchers.Origin{Scheme: "ftp", Host: "ftp.example.com", Port: "21"})
	fmt.Println(found.User, err)
	_, err = logins.Lookup(context.Background(), fetchers.Origin{Scheme: "ftp", Host: "elsewhere.example", Port: "21"})
	fmt.Println(errors.Is(err, fetchers.ErrLogin))
	// Output:
	// joe <nil>
	// true
}
