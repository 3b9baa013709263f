package dict_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
)

// A match is a Listing. The URLs of its entries name definitions.
func Example() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "220 hello\r\n")
		in := bufio.NewScanner(conn)
		in.Scan() // CLIENT fetch
		in.Scan() // MATCH wn prefix "su"
		fmt.Fprint(conn, "250 ok\r\n152 2 matches found\r\nwn \"sub\"\r\nwn \"sun\"\r\n.\r\n250 ok\r\n")
		in.Scan()
	}()
	f := new(dict.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	res, err := client.Get(context.Background(), "dict://"+listener.Addr().String()+"/m:su:wn:prefix")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for entry, err := range res.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(entry.Name, entry.URL.Path)
	}
	// Output:
	// sub /d:sub:wn
	// sun /d:sun:wn
}
