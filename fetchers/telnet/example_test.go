package telnet_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
)

// A telnet URL names a service. Fetching it opens no connection.
func Example() {
	client := &fetchers.Client{Fetcher: new(telnet.Fetcher)}
	res, err := client.Get(context.Background(), "telnet://guest@library.example/")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println(res.Kind, res.Session.Service, res.Session.Addr, res.Session.Login.User)
	// Output: session telnet library.example:23 guest
}

// Dial opens the session. Without a Terminal the client refuses all options.
func ExampleSession() {
	server := telnettest.NewServer(telnettest.Greeting("hello\r\n"))
	defer server.Close()

	client := &fetchers.Client{Fetcher: new(telnet.Fetcher)}
	res, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	session, err := res.Session.Dial(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	line, err := bufio.NewReader(session).ReadString('\n')
	fmt.Printf("%q %v\n", line, err)
	io.WriteString(session, "exit\r\n")
	// Output: "hello\r\n" <nil>
}
