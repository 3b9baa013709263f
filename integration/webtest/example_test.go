package webtest_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/webtest"
)

func Example() {
	server := webtest.NewServer(fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}})
	defer server.Close()

	// The client under test would have server.URL + "/pub/hello.txt".
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, name := range []string{"/pub/hello.txt", "/nope"} {
		res, err := client.Get(server.URL + name)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		fmt.Printf("%s %q\n", res.Status, body)
	}
	for _, request := range server.Transcript() {
		line, _, _ := strings.Cut(request, "\r\n")
		fmt.Println(line)
	}
	// Output:
	// 200 OK "hello\n"
	// 404 Not Found "404 page not found\n"
	// GET /pub/hello.txt HTTP/1.1
	// GET /nope HTTP/1.1
}

// A server with TLS. Its Roots are the certificates that a client trusts.
func ExampleTLS() {
	server := webtest.NewServer(fstest.MapFS{"hello.txt": {Data: []byte("hello\n")}}, webtest.TLS())
	defer server.Close()

	// The client under test would have server.URL, which begins with https.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: server.Roots()}}}
	defer client.CloseIdleConnections()
	res, err := client.Get(server.URL + "/hello.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	fmt.Printf("%q\n", body)
	// Output:
	// "hello\n"
}
